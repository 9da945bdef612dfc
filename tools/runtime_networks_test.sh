#!/bin/bash
# Networks in runtimes of others: artifacts for all of them compute there what the reference does.
# runtime_networks_test.sh VERIFY PACKAGES EXPECT FOLDER...
set -uo pipefail
export LC_ALL=C
verify="$PWD/$1" packages="$PWD/$2" root="$PWD"
source "$PWD/$3"
shift 3
cd "$TEST_TMPDIR" || exit 1
for folder in "$@"; do
  for runtime in litert onert; do
    expect 0 "executed by $runtime" "$verify" "$root/$folder/model.onnx" --target=circle --runtime=any --with=$runtime --runtime-dir="$packages"
    grep -E '^[1-9][0-9]* of [0-9]+ cases hold' out.txt >/dev/null || fail "$folder in $runtime"
  done
done
