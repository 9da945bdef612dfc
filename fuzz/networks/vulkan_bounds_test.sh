#!/bin/bash
# The kernels of random networks read and write nothing outside of what they bind: Vulkan's
# validation layer looks at each access while they run.
set -euo pipefail
log="$TEST_TMPDIR/log.txt"
VK_LOADER_DEBUG=layer "$1" --target=vulkan --count=4 --seed=970001 --steps=5 >"$log" 2>&1 || {
  cat "$log"
  exit 1
}
# A check by a layer that is not there would find nothing either.
grep -q 'Insert instance layer.*VK_LAYER_KHRONOS_validation\|Loading layer library.*khronos_validation' "$log" || {
  echo "FAILED: the validation layer is not in use"
  exit 1
}
! grep -n 'VUID\|Validation Error\|Validation Warning' "$log"
