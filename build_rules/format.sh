#!/bin/bash
# format.sh check|fix: whether clang-format would leave every C++ file as it is, or makes it so.
set -euo pipefail
source build_rules/source_tree.sh
clang_format="$PWD/external/debian_format/clang-format-14"
# `bazel run` leaves it unset.
export RUNFILES_DIR="${RUNFILES_DIR:-${PWD%/*}}"
enter_source_tree

if [[ "$1" == fix ]]; then
  source_files '*.cc' '*.h' | xargs -0 -r -P 2 -n 50 "$clang_format" -i
  exit
fi

# Names alone first: one diff per file would take a second of start-up for each dozen.
names='"$0" --dry-run "$@" 2>&1 |
  sed -n -E "s/^([^:]+):[0-9]+:[0-9]+: .*\[-Wclang-format-violations\]$/\1/p" | sort -u'
bad="$(source_files '*.cc' '*.h' | xargs -0 -r -P 2 -n 50 bash -c "$names" "$clang_format" | sort)"
[[ -n "$bad" ]] || exit 0
while read -r file; do
  "$clang_format" "$file" | diff -u --label "$file" --label "$file, formatted" "$file" - || true
done <<<"$bad"
echo
echo "not formatted as .clang-format says: $(wc -l <<<"$bad") files"
echo "this mends them: bazel run //:format"
exit 1
