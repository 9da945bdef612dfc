#!/bin/bash
# The table of a runtime is what the probe writes of the runtime that the lock names.
# probe_test.sh PROBE RUNTIME PACKAGES TABLE
set -euo pipefail
probe="$1" runtime="$2" packages="$PWD/$3" table="$4"
export BUILD_WORKSPACE_DIRECTORY="$TEST_TMPDIR"
mkdir -p "$TEST_TMPDIR/targets/circle/runtimes"
again="$TEST_TMPDIR/targets/circle/runtimes/$runtime.tsv"
head -n 1 "$table" >"$again"
"$probe" "$runtime" "$packages"
[[ "$(wc -l <"$table")" -gt 100 ]] || { echo "$table is too short"; exit 1; }
# What reads beside a tensor without entries ends at some ranks, and chance decides at which.
any_rank() { sed -E $'s/\t[0-9,-]+\t(refused: the process was ended by a signal)$/\t*\t\\1/' "$1"; }
diff <(any_rank "$table") <(any_rank "$again") || {
  echo "FAILED: not what the runtime does; \`bazel run //targets/circle/runtimes:probe -- $runtime\` writes it anew"
  exit 1
}
