#!/bin/bash
# Compares an artifact with the reference, as `verify` does it, in a test of nn_artifact_test (defs.bzl).
# verify_artifact.sh VERIFY MODEL DATA_FLAG "DATA FILES" CALIBRATION_FLAG "CALIBRATION FILES" -- FLAG...
set -euo pipefail
verify="$1" model="$2"
words=()
add_folder() {  # FLAG FILES: the folder that holds the sets
  [[ -n "$1" ]] || return 0
  local file
  for file in $2; do
    [[ "$file" == */test_data_set_*/* ]] || continue
    words+=("$1" "$(dirname "$(dirname "$file")")")
    return 0
  done
  echo "$1: no file test_data_set_K/... among: $2"
  exit 1
}
add_folder "$3" "$4"
add_folder "$5" "$6"
shift 7
exec "$verify" "$model" "$@" "${words[@]}"
