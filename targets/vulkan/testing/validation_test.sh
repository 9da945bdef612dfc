#!/bin/bash
# validation_test.sh RUN COMPILE MODEL.onnx=INPUT...: what networks do with Vulkan, its validation layer finds nothing wrong with, hazards between dispatches included.
set -uo pipefail
run="$1" compile="$2"
shift 2
for each in "$@"; do
  model="${each%%=*}" input="${each#*=}" artifact="$TEST_TMPDIR/model.tvk"
  "$compile" "$model" --target=vulkan -o "$artifact" --quiet || exit 1
  VK_LOADER_DEBUG=layer "$run" "$artifact" --input "$input" >"$TEST_TMPDIR/log.txt" 2>&1 || {
    echo "FAILED: $model"
    cat "$TEST_TMPDIR/log.txt"
    exit 1
  }
  # A check by a layer that is not there would find nothing either.
  grep -q 'Insert instance layer.*VK_LAYER_KHRONOS_validation\|Loading layer library.*khronos_validation' "$TEST_TMPDIR/log.txt" || {
    echo "FAILED: the validation layer is not in use"
    cat "$TEST_TMPDIR/log.txt"
    exit 1
  }
  if grep -n 'VUID\|SYNC-HAZARD\|Validation Error\|Validation Warning' "$TEST_TMPDIR/log.txt"; then
    echo "FAILED: $model"
    exit 1
  fi
done
