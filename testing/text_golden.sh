#!/bin/bash
# text_golden.sh check|update GOLDEN ACTUAL...: whether each file is what is kept of it; `update` keeps it in the workspace.
set -euo pipefail
mode="$1"
shift
good=1
while (($# > 0)); do
  if [[ "$mode" == update ]]; then
    install -m 644 "$2" "$BUILD_WORKSPACE_DIRECTORY/$1"
  elif ! diff -u "$1" "$2"; then
    good=0
  fi
  shift 2
done
[[ "$good" == 1 ]] || {
  echo "< as kept, > as generated now; this rewrites goldens: bazel run //testing:update"
  exit 1
}
