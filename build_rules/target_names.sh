#!/bin/bash
# Whether a tool knows a target by its name: what tools have to know of one they ask of
# targets/target.h, so that adding a target edits no tool. Tests, which are users, may.
set -euo pipefail
source build_rules/source_tree.sh
enter_source_tree
names="$(find targets -mindepth 1 -maxdepth 1 -type d ! -name all ! -name reference -printf '%f\n' | sort | paste -sd '|')"
# A check that looked for nothing has checked nothing.
[[ "$names" == *circle*npu* ]] || { echo "the targets' rooms are not found: $names"; exit 1; }
files="$(find tools -type f \( -name '*.cc' -o -name '*.h' -o -name '*.bzl' -o -name BUILD \) ! -name '*_test.cc' | sort)"
(( $(wc -w <<<"$files") > 50 )) || { echo "the tools' sources are not found"; exit 1; }
if grep -nwiE "($names)|\w*(${names})(::|_)\w*" $files; then
  echo "a tool names a target"
  exit 1
fi
