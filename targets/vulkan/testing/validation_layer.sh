# To be sourced: runs programs under Vulkan's validation layer.
readonly log="$TEST_TMPDIR/log.txt"

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
