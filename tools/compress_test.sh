#!/bin/bash
# Compression as a user meets it.
set -uo pipefail
export LC_ALL=C
compress="$PWD/$1" run="$PWD/$2" model="$PWD/$3" inspect="$PWD/$5"
source "$PWD/$4"
source "$PWD/$6"
data="${model%/*}"
cd "$TEST_TMPDIR" || exit 1

# A model that is smaller, is read again, and computes nearly the same.
expect 0 "10 weights (10 rounded by results; 88064 bytes, now 24956)" "$compress" "$model" --data "$data" -o a.onnx --report a.html
[[ "$(wc -c <a.onnx)" -lt $(($(wc -c <"$model") / 2)) ]] || fail "a.onnx is not small"
snr="$(sed -n 's/^output `output`: SNR \([0-9]*\)\..*/\1/p' out.txt)"
[[ "$snr" -ge 60 ]] || fail "SNR of $snr dB"
grep -q "stem/stem.0/Conv_0" a.html || fail "the page names no layer"
"$run" a.onnx --input input=random:1 >out.txt 2>err.txt || fail "the result does not run"

# The same bytes each time, wherever they go; nothing is left to do the second time.
"$compress" "$model" --data "$data" -o b.onnx --quiet >out.txt 2>err.txt || fail "again"
cmp a.onnx b.onnx || fail "other bytes"
[[ -s out.txt ]] && fail "--quiet says something"
expect 0 "0 products" "$compress" a.onnx --data "$data" -o c.onnx
cmp a.onnx c.onnx || fail "a quantized model was quantized"

# Every preset; weights alone need no data.
for preset in int8-all circle int16x8 w8a16; do
  expect 0 "wrote $preset.onnx" "$compress" "$model" --data "$data" --preset "$preset" -o "$preset.onnx"
  "$run" "$preset.onnx" --input input=random:1 >out.txt 2>err.txt || fail "$preset does not run"
done
expect 0 "0 activations, 10 weights" "$compress" "$model" --preset weights-int8 -o w.onnx
expect 1 "\`--data\` is missing" "$compress" "$model" -o no.onnx

# Samples, and others to judge by.
mkdir calibration test
awk 'BEGIN {
  for (s = 0; s < 48; ++s) {
    header = "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (1, 1, 49, 10), }"
    text = "\\x93NUMPY\\x01\\x00\\x76\\x00" sprintf("%-117s", header) "\\n"
    for (i = 0; i < 490; ++i) {
      x = (x * 1103515245 + 12345) % 2147483648
      text = text sprintf("\\x%02x\\x%02x\\x%02x\\x%s", int(x / 128) % 256, int(x / 32768) % 256, int(x / 8388608) % 256, x % 3 ? "3f" : "bf")
    }
    print (s < 40 ? "calibration/" : "test/") s ".npy", text
  }
}' >samples.txt
while read -r file text; do printf "$text" >"$file"; done <samples.txt
# In dB, of all samples the worst; and of what varies.
worst() { sed -n 's/.* worst \(-*[0-9]*\)\..*/\1/p' out.txt; }
varying() { sed -n 's/.* worst .* dB, \(-*[0-9]*\)\..* dB of what varies.*/\1/p' out.txt; }

# Equalized channels are the same network.
printf 'compression: {algorithm: equalization, least_gain: -200}' >q.yaml
expect 0 "equalization: the channels of 8 of 10" "$compress" "$model" --data calibration --evaluate test --config q.yaml -o q.onnx
[[ "$(worst)" -ge 140 ]] || fail "equalization: $(cat out.txt)"

# So are smoothed ones, padded products too.
for how in "scale: range" "scale: none" "scale: smooth_quant, shift: false"; do
  printf 'compression: {algorithm: smoothing, least_gain: -200, least_shift_gain: -200, %s}' "$how" >s.yaml
  expect 0 "of 10 activations" "$compress" "$model" --data calibration --evaluate test --config s.yaml -o s.onnx --print-commands
  grep -Eq "through .*(Sub|Mul)" out.txt || fail "$how: no node was added"
  [[ "$(worst)" -ge 140 ]] || fail "smoothing, $how: $(cat out.txt)"
  "$run" s.onnx --input input=random:1 >out.txt 2>err.txt || fail "$how does not run"
done
printf 'compression: {algorithm: smoothing, scale: none, shift: false}' >s.yaml
expect 1 "\`shift\` and \`scale\` leave nothing to do" "$compress" "$model" --data "$data" --config s.yaml -o no.onnx
printf 'compression: {algorithm: smoothing}' >s.yaml
expect 1 "\`--data\` is missing" "$compress" "$model" --config s.yaml -o no.onnx

# What is quantized behind gains by both.
printf 'compression: {algorithm: quantization}' >plain.yaml
expect 0 "over 8 samples" "$compress" "$model" --data calibration --evaluate test --config plain.yaml -o plain.onnx
plain="$(varying)"
expect 0 "10 weights" "$compress" "$model" --data calibration --evaluate test -o a.onnx
[[ "$(varying)" -ge $((plain + 10)) ]] || fail "int8: $(varying) dB, without smoothing $plain"

printf 'compression: {algorithm: quantization, weights: {rounding: nearest}, correct_biases: false}' >e.yaml
# What was seen is kept, and serves again: the same bytes, and ranges without samples.
expect 0 "10 weights" "$compress" "$model" --data calibration -o k.onnx --statistics seen.json --evaluate test
[[ "$(varying)" -ge $((plain + 10)) ]] || fail "--statistics: $(varying) dB"
cmp a.onnx k.onnx || fail "--statistics: other bytes"
cp seen.json first.json
expect 0 "10 weights" "$compress" "$model" --data calibration -o k.onnx --statistics seen.json --evaluate test
cmp a.onnx k.onnx || fail "kept statistics: other bytes"
cmp seen.json first.json || fail "kept statistics change"
"$compress" "$model" --data calibration --config e.yaml -o n.onnx --statistics seen.json --quiet || fail "nearest"
expect 0 "10 activations" "$compress" "$model" --config e.yaml -o k.onnx --statistics seen.json
cmp n.onnx k.onnx || fail "without samples: other bytes"
expect 1 "\`--data\` is missing" "$compress" "$model" --config e.yaml -o no.onnx --statistics none.json
head -c 100 seen.json >cut.json
expect 1 "cut.json\`: no file of statistics" "$compress" "$model" --data calibration -o no.onnx --statistics cut.json
printf '{"version": 1, "models": {}}' >cut.json
expect 1 "another version" "$compress" "$model" --data calibration -o no.onnx --statistics cut.json
expect 2 "is the model" "$compress" "$model" --data calibration -o no.onnx --statistics "$model"

# Samples of other kinds: what they are not made for, they refuse.
mkdir none pictures
expect 1 "nor files that end in" "$compress" "$model" --data none -o no.onnx
cp a.html pictures/b.WEBP
expect 1 "pictures are \`.png\` or \`.jpg\`" "$compress" "$model" --data pictures -o no.onnx
mv pictures/b.WEBP pictures/b.png
expect 1 "no PNG file" "$compress" "$model" --data pictures -o no.onnx
expect 2 "numbers with commas" "$compress" "$model" --data pictures --mean grey
expect 2 "\`--mean\` goes with \`--data\`" "$compress" "$model" --preset weights-int8 --mean 0.5 -o no.onnx
expect 2 "is above 0" "$compress" "$model" --data pictures --std 0
expect 1 "no picture that" "$compress" "$model" --data "$data" --mean 0.5 -o no.onnx
"$run" "$model" --input input=random:1 --output output=pictures/c.npy >out.txt 2>err.txt || fail "run"
rm pictures/b.png
expect 1 "input \`input\`" "$compress" "$model" --data pictures -o no.onnx

# Grids that are made while the network runs need no samples; with some, weights are rounded by
# results, biases corrected.
expect 0 "wrote dynamic.onnx" "$compress" "$model" --preset dynamic-int8 -o dynamic.onnx --print-commands
grep -q "DynamicQuantizeLinear, ConvInteger, Cast, Mul, Mul, Add" out.txt || fail "no ConvInteger"
grep -q "DynamicQuantizeLinear, MatMulInteger, Cast, Mul, Mul" out.txt || fail "no MatMulInteger"
[[ "$(wc -c <dynamic.onnx)" -lt $(($(wc -c <"$model") / 2)) ]] || fail "dynamic.onnx is not small"
"$run" dynamic.onnx --input input=random:1 >out.txt 2>err.txt || fail "dynamic.onnx does not run"
expect 0 "0 products" "$compress" dynamic.onnx --preset dynamic-int8 -o again.onnx
cmp dynamic.onnx again.onnx || fail "what is quantized was quantized"
expect 0 "0 biases corrected" "$compress" "$model" --preset dynamic-int8 --evaluate test -o dynamic.onnx
blind="$(varying)"
expect 0 "10 rounded by results" "$compress" "$model" --preset dynamic-int8 --data calibration --evaluate test -o dynamic.onnx
[[ "$(varying)" -ge $((blind + 5)) ]] || fail "dynamic: $(varying) dB, without samples $blind"
refused() {
  printf 'compression: {algorithm: quantization, activations: {mode: dynamic%s' "$1" >refused.yaml
  expect 1 "refused.yaml:1:" "$compress" "$model" --config refused.yaml -o no.onnx
  grep -qF "\`$2\` " err.txt || fail "$2 is not refused: $(cat err.txt)"
}
refused ', bits: 16}}' activations.bits
refused '}, weights: {mode: asymmetric}}' weights.mode
refused '}, weights: {bits: 16}}' weights.bits
refused '}, operations: network}' operations
refused '}, quantize_weights: false}' quantize_weights
refused '}, initializer: {range: {type: mse}}}' initializer.range.type

# As few layers stay exact as it takes.
"$compress" "$model" --data "$data" --config e.yaml -o e.onnx >out.txt 2>err.txt || fail "e.yaml"
snr="$(sed -n 's/^output `output`: SNR \([0-9]*\)\..*/\1/p' out.txt)"
expect 0 "stays exact" "$compress" "$model" --data "$data" --config e.yaml --min-snr $((snr + 6)) -o e.onnx
reached="$(sed -n 's/^output `output`: SNR \([0-9]*\)\..*/\1/p' out.txt)"
[[ "$reached" -ge $((snr + 6)) && "$reached" -lt 300 ]] || fail "--min-snr $((snr + 6)): $reached"
expect 1 "is not reached" "$compress" "$model" --data "$data" --min-snr 900 -o no.onnx
expect 2 "is a number of dB" "$compress" "$model" --data "$data" --min-snr high
expect 2 "needs samples" "$compress" "$model" --min-snr 20

# A run that was interrupted goes on, to the same bytes, whatever was done or is damaged: a step is
# taken only for the same model, samples and configuration.
steps() {
  expect 0 "$1" "$compress" "$model" --data calibration -o r.onnx --resume steps --report r.html "${@:2}"
}
"$compress" "$model" --data calibration -o whole.onnx --report whole.html >whole.txt 2>err.txt || fail "whole"
"$compress" "$model" --data calibration -o r.onnx --resume steps --quiet >out.txt 2>err.txt &
killed=$!
for _ in {1..600}; do
  compgen -G "steps/*.step" >/dev/null && break
  sleep 0.05
done
kill -9 $killed 2>/dev/null
wait $killed 2>/dev/null
[[ "$(ls steps/*.step | wc -l)" -ge 1 ]] || fail "nothing is kept"
steps "done before: steps"
cmp r.onnx whole.onnx || fail "--resume: other bytes"
steps "4 steps were done before"
cmp r.onnx whole.onnx || fail "all resumed: other bytes"
cmp r.html whole.html || fail "all resumed: another page"
diff <(grep "^output\|^quantization\|^smoothing" out.txt) <(grep "^output\|^quantization\|^smoothing" whole.txt) || fail "another summary"
for file in steps/*.step; do
  head -c 100 "$file" >cut && mv cut "$file"
done
steps "wrote r.onnx"
grep -q "done before" out.txt && fail "a damaged step was taken"
cmp r.onnx whole.onnx || fail "damaged steps: other bytes"
mkdir other && cp calibration/1*.npy other
"$compress" "$model" --data other --config e.yaml -o o.onnx --quiet || fail "other"
expect 0 "wrote p.onnx" "$compress" "$model" --data other --config e.yaml -o p.onnx --resume steps
grep -q "done before" out.txt && fail "a step of other samples was taken"
cmp o.onnx p.onnx || fail "other samples: other bytes"
expect 0 "wrote p.onnx" "$compress" "$model" --data other --config plain.yaml -o p.onnx --resume steps
grep -q "done before" out.txt && fail "a step of another configuration was taken"
expect 2 "exclude each other" "$compress" "$model" --data other --resume steps --statistics seen.json
expect 1 "e.yaml" "$compress" "$model" --data other --resume e.yaml -o no.onnx

# Nor does more stay exact than a drop takes, by a switch and by a configuration; it says what that
# is and costs, and how far it is.
drop() {
  expect 0 "$1" "$compress" "$model" --data calibration --evaluate test -o drop.onnx "${@:2}"
}
drop "10 products" --config e.yaml
cp drop.onnx all.onnx
[[ "$(varying)" -lt 9 ]] || fail "e.yaml: too good for the test"
drop "operations stay exact for a drop of at most 0.5 dB" --config e.yaml --max-drop 0.5dB --report drop.html
cp drop.onnx switch.onnx
grep -q "^operation 10 of 10, " err.txt || fail "no progress"
grep -q "stay exact for a drop" drop.html || fail "the page does not say what stays exact"
[[ "$(varying)" -ge 9 ]] || fail "--max-drop: $(varying) dB"
more=$(($(wc -c <drop.onnx) - $(wc -c <all.onnx)))
[[ "$more" -gt 0 ]] || fail "what stays exact costs nothing"
grep -q "; $more bytes more$" out.txt || fail "the costs are not $more bytes"
sed -n 's/^`\(.*\)` stays exact: .*/\1/p' out.txt >exact.txt
fewer="$(sed '$d' exact.txt | sed 's/.*/"&"/' | paste -sd,)"
sed "s|{algorithm: quantization|&, ignored_scopes: [$fewer]|" e.yaml >fewer.yaml
drop "products" --config fewer.yaml
[[ "$(varying)" -le 9 ]] || fail "fewer than $(wc -l <exact.txt) do: $(varying) dB"
(cat e.yaml && printf '\nmax_drop: 0.5dB\n') >drop.yaml
drop "stay exact for" --config drop.yaml
cmp drop.onnx switch.onnx || fail "max_drop in a configuration: other bytes"
drop "with all compressed: within the bound" --config drop.yaml --max-drop 60
cmp drop.onnx all.onnx || fail "--max-drop 60: other bytes"

# Where nobody else judges by a bound, samples do that compression is not given: its result is the
# same whatever they are; too few to hold any out say so.
held() { expect 0 "over 10 samples of $1, held out from compression" "$compress" "$model" --data "$1" --config e.yaml --max-drop 60 -o "$2"; }
held calibration held.onnx
grep -q "given too" err.txt && fail "10 are held out, and it says none is"
for other in third/10 first/0; do
  cp -r calibration "${other%/*}" && sed 's/?/A/g' test/47.npy >"$other.npy"  # values 16 times as large
done
held third third.onnx
held first first.onnx
cmp held.onnx third.onnx || fail "compression has seen a sample that judges"
cmp held.onnx first.onnx && fail "compression has not seen a sample that does not judge"
drop "10 products" --config e.yaml --max-drop 60
grep -q "given too\|not known" err.txt && fail "others judge, and it says they do not"
cmp held.onnx drop.onnx && fail "others judge, and some are held out"
expect 0 "whether the statistics" "$compress" "$model" --data calibration --config e.yaml --max-drop 60 -o held.onnx --statistics seen.json
rm -r third/[2-9]*.npy
expect 0 "given too, 12 of third" "$compress" "$model" --data third --config e.yaml --max-drop 60 -o held.onnx
expect 0 "over 12 samples of third, which compression was given too" "$compress" "$model" --data third --config e.yaml -o held.onnx
grep -q "note:" err.txt && fail "a note where nothing is bounded"
expect 1 "even with all 10 operations exact" "$compress" "$model" --data calibration --config e.yaml --max-drop 1e-40 -o no.onnx
printf 'compression: {algorithm: quantization, quantize_activations: false}\nmin_snr: 10' >snr.yaml
expect 1 "needs samples" "$compress" "$model" --config snr.yaml -o no.onnx
expect 2 "is a number of dB" "$compress" "$model" --data "$data" --max-drop 5%
expect 2 "is above 0" "$compress" "$model" --data "$data" --max-drop 0dB
expect 2 "needs samples" "$compress" "$model" --max-drop 0.5dB
expect 2 "exclude each other" "$compress" "$model" --data "$data" --max-drop 1 --min-snr 20

# Scopes, and what is wrong in a configuration: where, and what was meant.
config() { printf 'compression:\n  algorithm: quantization\n  %s\n' "$1" >c.yaml; }
config 'ignored_scopes: ["{re}^blocks", "fc"]'
expect 0 "1 products" "$compress" "$model" --data "$data" --config c.yaml -o d.onnx
config 'ignored_scopes: [steam]'
expect 1 'c.yaml:3:3: `ignored_scopes` names what is not there: scope `steam` is no operation and no path of modules; did you mean' \
  "$compress" "$model" --data "$data" --config c.yaml -o no.onnx
config 'target_scopes: [fc, Conv_9]'
expect 1 'scope `Conv_9` is no operation and no path of modules; did you mean `stem/stem.0/Conv_0`?' \
  "$compress" "$model" --data "$data" --config c.yaml -o no.onnx
config 'ignored_scopes: ["{re}("]'
expect 1 "is no regular expression" "$compress" "$model" --data "$data" --config c.yaml -o no.onnx
config "ignored_scopes: [\"{re}$(printf '(%.0s' {1..5000})a$(printf ')%.0s' {1..5000})\"]"
expect 1 "c.yaml:3:3: \`ignored_scopes\`" "$compress" "$model" --data "$data" --config c.yaml -o no.onnx
grep -q "a regular expression of 10001 characters; at most" err.txt || fail "a deep expression"
config 'ignored_scope: [fc]'
expect 1 'c.yaml:3:3: unknown key `ignored_scope`; did you mean `ignored_scopes`?' \
  "$compress" "$model" --data "$data" --config c.yaml -o no.onnx
expect 2 "\`--preset int9\`: did you mean \`int8\`? There are" "$compress" "$model" --data "$data" --preset int9 -o no.onnx
expect 2 "exclude each other" "$compress" "$model" --preset int8 --config c.yaml
expect 2 "is the model" "$compress" "$model" -o "$model"

# Nor is what the model or its samples are read from written to.
mkdir outside && small_model Add 4 >outside/model.onnx && printf 'aaaabbbbccccdddd' >outside/weights
mkdir -p outside/test_data_set_0 && cp "$data/test_data_set_0/input_0.pb" outside/test_data_set_0
before="$(find outside -type f -exec sha256sum {} + | sort)"
expect 2 "is data of the model, which the compressed model would" "$compress" outside/model.onnx --preset weights-int8 -o outside/weights
expect 2 "is data of the model, which the report would" "$compress" outside/model.onnx --preset weights-int8 -o no.onnx --report outside/weights
expect 2 "is a sample, which the compressed model would" "$compress" "$model" --data outside -o outside/test_data_set_0/input_0.pb
expect 2 "is a sample, which the report would" "$compress" "$model" --data "$data" --evaluate outside -o no.onnx --report outside/test_data_set_0/input_0.pb
[[ "$(find outside -type f -exec sha256sum {} + | sort)" == "$before" ]] || fail "a file that is read was written to"

# The addresses that scopes are made of.
expect 0 "blocks/blocks.0/blocks.0.3/Conv_0" "$inspect" "$model" --scopes
expect 2 "takes no other switch" "$inspect" "$model" --scopes --nest

# Data that is none.
mkdir empty few && head -c 40 "$data/test_data_set_0/input_0.pb" >few/x.pb
expect 1 "empty: neither folders" "$compress" "$model" --data empty -o no.onnx
expect 1 "few/x.pb" "$compress" "$model" --data few -o no.onnx
expect 1 "nowhere: no such folder" "$compress" "$model" --data nowhere -o no.onnx
for size in 1 1000 90000; do
  head -c $size "$model" >cut.onnx
  expect 1 "cut.onnx" "$compress" cut.onnx --data "$data" -o no.onnx
done
[[ -e no.onnx ]] && fail "a failure left a file"
exit 0
