#!/bin/bash
# conformance.sh check|update FOLDER VERIFY REFERENCE.txt GOLDEN.txt: which of ONNX's own backend tests in FOLDER, among the runfiles, of those that hold on the reference (REFERENCE.txt), hold on a Vulkan device too, against the list GOLDEN.txt. `update` rewrites that in the workspace.
set -uo pipefail
mode="$1" verify="$3" reference="$4" golden="$5"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
data="$(cd "${RUNFILES_DIR:-${TEST_SRCDIR:-$PWD/..}}/$2" && pwd)" || exit 1
export verify scratch data

one() {
  if timeout 120 "$verify" "$data/$1/model.onnx" --target=vulkan >/dev/null 2>&1; then
    echo "$1" >>"$scratch/holds"
  fi
}
export -f one
# The part that this shard runs.
[[ -z "${TEST_SHARD_STATUS_FILE:-}" ]] || touch "$TEST_SHARD_STATUS_FILE"
awk -v all="${TEST_TOTAL_SHARDS:-1}" -v mine="${TEST_SHARD_INDEX:-0}" 'NR % all == mine' "$reference" >"$scratch/tests"
: >"$scratch/holds"
xargs -P 2 -I{} bash -c 'one "$1"' _ {} <"$scratch/tests"
LC_ALL=C sort -o "$scratch/holds" "$scratch/holds"
if [[ "$mode" == update ]]; then
  cp "$scratch/holds" "$BUILD_WORKSPACE_DIRECTORY/$golden"
  exit
fi
[[ -s "$scratch/holds" ]] || { echo "none holds: is there a device?"; exit 1; }
grep -Fxf "$scratch/tests" "$golden" >"$scratch/expected"
diff "$scratch/expected" "$scratch/holds" || {
  echo "< no longer holds, > holds now; this updates the list: bazel run //testing:update"
  exit 1
}
