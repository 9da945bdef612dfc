#!/bin/bash
# certificates_test.sh COMPILE PROVE SHARED.device MODEL...: what the check reads from a model's artifact holds, and all of it is decided; of kernels whose invocations share what they compute, too.
set -uo pipefail
compile="$1" prove="$2" shared="$3"
shift 3
fail() {
  echo "FAILED: $*"
  exit 1
}

for model; do
  artifact="$TEST_TMPDIR/model.tvk"
  for device in portable "$shared"; do
    "$compile" "$model" --target=vulkan --device-profile "$device" --quiet -o "$artifact" || fail "compile $model"
    said="$("$prove" --check "$artifact.cert.json" --model "$model")" || fail "$model: $said"
    [[ "$said" == *" 0 evaluated, 0 guarded, 0 failed"* ]] || fail "$model: $said"
    # Parts of what is joined share symbols of axes, and may be of other lengths, or empty.
    ! grep -q 'nothing is said' "$artifact.cert.json" || fail "$model: an access that is neither proved nor looked at"
  done
done
