#!/bin/bash
# growth_test.sh GROWTH: every shape at sizes that a test can afford, with the checks of certificates
# at smaller ones, and to Vulkan those whose layers are joined or lie beside one another; what is
# wrong on the command line is named.
set -euo pipefail
growth="$1"

"$growth" --nodes 1600 --compile-only
"$growth" --nodes 256
# Where one operation reads all others, what each step does to its operands shows late.
"$growth" --nodes 12000 --shape fan_out --compile-only
"$growth" --target vulkan --nodes 400 --compile-only --output "$TEST_TMPDIR/kept" --shape mat_mul \
  --shape layer_norm --shape shapes_of_itself --shape slices --shape conv_relu --shape residual \
  --shape branches
[[ -s "$TEST_TMPDIR/kept/slices_400.onnx" && -s "$TEST_TMPDIR/kept/slices_400.onnx.artifact" ]] || {
  echo "networks did not stay" >&2
  exit 1
}

expect_usage() {
  local wanted="$1"
  shift
  local said code=0
  said="$("$growth" "$@" 2>&1)" || code=$?
  [[ "$code" == 2 && "$said" == *"$wanted"* ]] || {
    echo "growth $*: exit code $code, said: $said; wanted: $wanted" >&2
    exit 1
  }
}
expect_usage 'did you mean `relu`?' --shape rely
expect_usage 'a number from 64 to 1000000 is needed' --nodes many
expect_usage 'no such target' --target gpu
