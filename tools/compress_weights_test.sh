#!/bin/bash
# Weights in few bits, sparse ones, and channels that are removed, as a user meets them.
set -uo pipefail
export LC_ALL=C
compress="$PWD/$1" run="$PWD/$2" model="$PWD/$3"
source "$PWD/$4"
data="${model%/*}"
cd "$TEST_TMPDIR" || exit 1
config() { printf 'compression:\n  algorithm: %s\n  %s\n' "$1" "${2:-}" >c.yaml; }
# at_least DB: the worst output of the last comparison.
at_least() {
  snr="$(sed -n 's/^output .*: SNR .*worst \(-*[0-9]*\)\..*/\1/p' out.txt)"
  [[ "$snr" -ge "$1" ]] || fail "SNR of $snr dB, not $1"
}

# 8 bits without samples and with.
config weight_compression
expect 0 "10 weights (88064 bytes, now" "$compress" "$model" --config c.yaml --evaluate "$data" -o a.onnx --report a.html
at_least 40
grep -q "weights to u8, 64 scales along axis 0" a.html || fail "the page does not say what was done"
expect 0 "10 weights" "$compress" "$model" --config c.yaml --data "$data" -o b.onnx
at_least 40
"$run" a.onnx --input input=random:1 >out.txt 2>err.txt || fail "the result does not run"

# 4 bits: of matrices; in this opset as a node of ONNX Runtime's.
config weight_compression '{mode: int4_sym, all_layers: true}'
expect 1 "c.yaml" "$compress" "$model" --config c.yaml -o no.onnx
printf 'compression: {algorithm: weight_compression, mode: int4_sym, all_layers: true, group_size: 32}\n' >c.yaml
expect 0 "1 of them in 4 bits" "$compress" "$model" --config c.yaml --data "$data" -o c.onnx --print-commands
grep -q "MatMulNBits" out.txt || fail "no MatMulNBits"
grep -q "is no product with a matrix\|its node is no product" out.txt || fail "no reason for 8 bits"
at_least 20
"$run" c.onnx --input input=random:1 >out.txt 2>err.txt || fail "the result does not run"

# A group that is more than a matrix has would make it larger: that is said.
printf 'compression: {algorithm: weight_compression, mode: int4_sym, all_layers: true, group_size: 4096}\n' >c.yaml
expect 0 "1 of them because \`group_size: 4096\` is more than their inputs" "$compress" "$model" --config c.yaml -o wide.onnx

# Half of the weights; two of every four inputs, where there are as many (depthwise ones have one).
config magnitude_sparsity 'sparsity_target: 0.5'
expect 0 "50.0 % of their elements are zero" "$compress" "$model" --config c.yaml -o d.onnx
config magnitude_sparsity 'pattern: "2:4"'
expect 0 "39.0 % of their elements are zero" "$compress" "$model" --config c.yaml -o d.onnx
config magnitude_sparsity 'sparsity_target: 0'
expect 0 "SNR 300.0 dB" "$compress" "$model" --config c.yaml --data "$data" -o e.onnx

# Channels.
config filter_pruning 'pruning_target: 0.5'
expect 0 "9 of 10 products lose channels" "$compress" "$model" --config c.yaml --data "$data" -o g.onnx
at_least 60  # refitted
expect 0 "9 of 10 products lose channels" "$compress" "$model" --config c.yaml -o f.onnx --print-commands
[[ "$(wc -c <f.onnx)" == "$(wc -c <g.onnx)" ]] || fail "other sizes with data"
[[ "$(wc -c <f.onnx)" -lt $(($(wc -c <"$model") * 2 / 5)) ]] || fail "f.onnx is not small"
grep -q "group" out.txt || fail "depthwise convolutions keep their groups"
"$run" f.onnx --input input=random:1 >out.txt 2>err.txt || fail "the result does not run"

# Half of the multiply-adds: ONNX's shapes say that they are 2656768.
config filter_pruning 'pruning_flops_target: 0.5'
expect 0 "2.657 million multiply-adds, now 1.282" "$compress" "$model" --config c.yaml -o h.onnx
part="$(sed -n 's/.*; pruning_target \([0-9.]*\)$/\1/p' out.txt)"
config filter_pruning "pruning_target: $part"
expect 0 "2.657 million multiply-adds, now 1.282" "$compress" "$model" --config c.yaml -o same.onnx
cmp h.onnx same.onnx || fail "another part than is said"

# Of levels up to the target the highest that keeps to a bound: as if that had been said.
at_level() { printf 'compression: {algorithm: %s}\n%s' "$1" "${2:-}" >c.yaml; }
at_level 'filter_pruning, pruning_target: 0.5, schedule: bound' 'min_snr: 40'
expect 0 "pruning_target 0.125 of 0.5" "$compress" "$model" --config c.yaml --evaluate "$data" -o level.onnx
at_least 40
grep -q "^5 sixteenths of the levels" err.txt || fail "the next higher level was not tried"
at_level 'filter_pruning, pruning_target: 0.125'
"$compress" "$model" --config c.yaml -o same.onnx --quiet || fail "0.125"
cmp level.onnx same.onnx || fail "a level that was found is another than one that is said"
at_level 'magnitude_sparsity, sparsity_target: 0.9, schedule: bound' 'min_snr: 10'
expect 0 "with all compressed: within the bound" "$compress" "$model" --config c.yaml --evaluate "$data" -o level.onnx

# What cannot be.
refused() {
  printf 'compression: {algorithm: %s}\n' "$1" >c.yaml
  expect 1 "$2" "$compress" "$model" --config c.yaml -o no.onnx
}
refused 'weight_compression, mode: int3' 'is one of `int8_asym`'
refused 'weight_compression, group_size: 32' 'is about modes of fewer than 8 bits'
refused 'weight_compression, mode: int4_asym, group_size: 0' 'is a whole number from 1 on, or -1'
refused 'weight_compression, mode: int2_asym, group_size: 24' 'is a power of two from 16 on'
refused 'weight_compression, mode: int4_asym, ratio: 2' 'must lie within 0 and 1'
for group in -1 33 48; do
  refused "weight_compression, mode: int4_asym, group_size: $group" "\`group_size: $group\` needs opset 21"
done
refused 'weight_compression, mode: int4_asym, format: dequantize_linear' '`format: dequantize_linear` needs opset 21'
refused 'magnitude_sparsity, pattern: "4:2"' 'is `N:M`'
refused 'magnitude_sparsity, pattern: "2:4", sparsity_target: 0.3' 'and so does `sparsity_target`'
refused 'magnitude_sparsity, weight_importance: abs' 'is about `sparsity_level_setting_mode: global`'
refused 'filter_pruning, schedule: bound' '`schedule` is `bound`, and there is neither'
at_level 'magnitude_sparsity, pattern: "2:4", schedule: bound' 'min_snr: 10'
expect 1 'which `pattern` replaces' "$compress" "$model" --config c.yaml --evaluate "$data" -o no.onnx
refused 'filter_pruning, pruning_flops_target: 0.9999' 'the multiply-adds fall by'
refused 'filter_pruning, pruning_flops_target: 0.5, pruning_target: 0.3' 'decides in place of'
refused 'filter_pruning, pruning_flops_target: 0.5, schedule: bound' 'is no level'
refused 'filter_pruning, filter_importance: L3' 'is one of `output_change`, `L1`'
refused 'filter_pruning, ignored_scopes: [steam]' 'did you mean'
[[ -e no.onnx ]] && fail "a failure left a file"
exit 0
