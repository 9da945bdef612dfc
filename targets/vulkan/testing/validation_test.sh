#!/bin/bash
# validation_test.sh RUN BENCH COMPILE RUNTIME_TEST MODEL.onnx=INPUT...: what networks and the runtime's own test do with Vulkan, its validation layer finds nothing wrong with, hazards between dispatches included.
set -uo pipefail
run="$1" bench="$2" compile="$3" runtime_test="$4"
shift 4
source targets/vulkan/testing/validation_layer.sh

for each in "$@"; do
  model="${each%%=*}" input="${each#*=}"
  for precision in f32 f16; do
    "$compile" "$model" --target=vulkan --precision=$precision -o "$TEST_TMPDIR/model.tvk" --quiet || exit 1
    checked "$run" "$TEST_TMPDIR/model.tvk" --input "$input"
  done
  checked "$bench" "$TEST_TMPDIR/model.tvk" --input "$input" --runs 2 --warm-up 0
done
# Several runs under way, staged copies, sizes that are refused.
checked "$runtime_test" --gtest_filter=Runtime.*
