#!/bin/bash
# Compressed and compiled in one go, as a user meets it.
set -uo pipefail
export LC_ALL=C
compile="$PWD/$1" compress="$PWD/$2" run="$PWD/$3" model="$PWD/$4"
source "$PWD/$5"
data="${model%/*}"
cd "$TEST_TMPDIR" || exit 1

# As one after the other, by a preset and by a file.
printf 'compression: {algorithm: quantization, operations: network, quantize_outputs: true}' >c.yaml
for how in circle c.yaml; do
  expect 0 "wrote a.circle.onnx" "$compile" "$model" --target=circle --compress $how --calibrate "$data" -o a.circle
  "$compress" "$model" --data "$data" --preset circle -o b.onnx --quiet || fail "compress"
  cmp a.circle.onnx b.onnx || fail "$how: another network"
  mkdir -p again && cp a.circle.onnx again || fail "again"
  (cd again && "$compile" a.circle.onnx -o a.circle --quiet) || fail "compile"
  cmp a.circle again/a.circle || fail "$how: another artifact"
  cmp a.circle.cert.json again/a.circle.cert.json || fail "$how: another certificate"
  "$run" a.circle --input input=random:1 >out.txt 2>err.txt || fail "$how: does not run"
done
"$compile" "$model" -o f.circle --quiet || fail "compile"
[[ "$(wc -c <a.circle)" -lt $(($(wc -c <f.circle) * 3 / 5)) ]] || fail "the artifact is not small"

# Without samples, what needs none.
expect 0 "0 activations, 10 weights" "$compile" "$model" --compress weights-int8 -o w.circle
expect 1 "\`--calibrate\` is missing" "$compile" "$model" --compress circle -o no.circle

# What a configuration bounds stays within.
printf 'compression: {algorithm: quantization, weights: {rounding: nearest}, correct_biases: false}\nmax_drop: 1e-8dB' >d.yaml
expect 0 "stay exact for a drop of at most 1e-08 dB" "$compile" "$model" --target=circle --compress d.yaml --calibrate "$data" -o d.circle
grep -q "given too, 1 of" err.txt || fail "who judges is not said"
expect 1 "needs samples: \`--calibrate\`" "$compile" "$model" --target=circle --compress d.yaml -o no.circle

# The steps of one run serve the next, to the same bytes.
for said in "stay exact for a drop of at most 1e-08 dB" "steps were done before: steps"; do
  rm -rf resumed && mkdir resumed
  expect 0 "$said" "$compile" "$model" --target=circle --compress d.yaml --calibrate "$data" -o resumed/d.circle --resume steps
  cmp d.circle.onnx resumed/d.circle.onnx || fail "--resume: another network"
  cmp d.circle resumed/d.circle || fail "--resume: another artifact"
done
expect 2 "\`--resume\` goes with \`--compress\`" "$compile" "$model" -o no.circle --resume steps
expect 1 "d.yaml" "$compile" "$model" --compress circle --calibrate "$data" -o no.circle --resume d.yaml

# What is wrong says so, and leaves nothing.
printf 'compression: {algorithm: quantisation}' >c.yaml
expect 1 "c.yaml:1:26" "$compile" "$model" --compress c.yaml --calibrate "$data" -o no.circle
expect 1 "nowhere" "$compile" "$model" --compress nowhere.yaml --calibrate "$data" -o no.circle
expect 1 "nowhere: no such folder" "$compile" "$model" --compress circle --calibrate nowhere -o no.circle
expect 2 "goes with \`--target=npu\`" "$compile" "$model" --calibrate "$data" -o no.circle
expect 2 "is a device" "$compile" "$model" --compress weights-int8 -o /dev/null
expect 1 "no dim" "$compile" "$model" --compress weights-int8 -o no.circle --dim N=1
# Compressed, and then refused.
expect 1 "what values the network has is not known" "$compile" "$model" --target=npu --compress weights-int8 -o no.circle
# What an earlier run has left is still that run's.
cp w.circle.onnx kept.onnx
expect 1 "no dim" "$compile" "$model" --compress circle --calibrate "$data" -o w.circle --dim N=1
cmp w.circle.onnx kept.onnx || fail "a compile that failed changed the compressed network of an earlier one"
"$compile" "$model" --target=npu --compress weights-int8 -o no.circle 2>&1 | grep -q "wrote" && fail "wrote what is not there"
[[ -e no.circle || -e no.circle.onnx ]] && fail "a failure left a file"
exit 0
