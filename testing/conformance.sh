#!/bin/bash
# conformance.sh check|update FOLDER VERIFY REFERENCE.txt CIRCLE.txt: which of ONNX's own backend tests in FOLDER, among the runfiles, hold on the reference, and
# which also through Circle, against the lists in goldens/. `update` rewrites them in the workspace.
set -uo pipefail
mode="$1" verify="$3" reference="$4" circle="$5"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
export verify scratch
data="$(cd "${RUNFILES_DIR:-${TEST_SRCDIR:-$PWD/..}}/$2" && pwd)" || exit 1
export data

one() {
  name="${1#"$data"/}"
  name="${name%/model.onnx}"
  if timeout 60 "$verify" "$1" --target=circle >/dev/null 2>&1; then
    echo "$name" >>"$scratch/circle"
    echo "$name" >>"$scratch/reference"
  elif timeout 60 "$verify" "$1" --target=reference >/dev/null 2>&1; then
    echo "$name" >>"$scratch/reference"
  fi
}
export -f one
: >"$scratch/reference"
: >"$scratch/circle"
find -L "$data/"{node,simple,pytorch-converted,pytorch-operator} -name model.onnx -print0 | xargs -0 -P 2 -I{} bash -c 'one "$1"' _ {}

good=1
for list in reference circle; do
  LC_ALL=C sort -o "$scratch/$list" "$scratch/$list"
  golden="${!list}"
  echo "$list: $(wc -l <"$scratch/$list") tests hold, $(wc -l <"$golden") in the golden"
  if [[ "$mode" == update ]]; then
    cp "$scratch/$list" "$BUILD_WORKSPACE_DIRECTORY/$golden"
  elif ! diff "$golden" "$scratch/$list"; then
    good=0
  fi
done
[[ "$good" == 1 ]] || {
  echo "< no longer holds, > holds now; this updates the lists: bazel run //testing:update"
  exit 1
}
