#!/bin/bash
# validation_test.sh RUN BENCH COMPILE RUNTIME_TEST MODEL.onnx=INPUT...: what networks and the runtime's own test do with Vulkan, its validation layer finds nothing wrong with, hazards between dispatches included.
set -uo pipefail
run="$1" bench="$2" compile="$3" runtime_test="$4"
shift 4
log="$TEST_TMPDIR/log.txt"

fail() {
  echo "FAILED: $*"
  cat "$log"
  exit 1
}

# checked COMMAND...: that it ends well, and that the layer was there and found nothing.
checked() {
  VK_LOADER_DEBUG=layer "$@" >"$log" 2>&1 || fail "$*"
  # A check by a layer that is not there would find nothing either.
  grep -q 'Insert instance layer.*VK_LAYER_KHRONOS_validation\|Loading layer library.*khronos_validation' "$log" ||
    fail "the validation layer is not in use: $*"
  ! grep -n 'VUID\|SYNC-HAZARD\|Validation Error\|Validation Warning' "$log" || fail "$*"
}

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
