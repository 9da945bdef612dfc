#!/bin/bash
# determinism_test.sh OPGEN LOOKUP.op FILE.op...: what is generated does not depend on the run, nor on the order in which files are named.
set -euo pipefail
opgen="$1" lookup="$2"
shift 2
files=("$@")
reversed=()
for file in "${files[@]}"; do reversed=("$file" "${reversed[@]}"); done
((${#files[@]} > 1)) || {
  echo "one file has one order"
  exit 1
}

# generate FOLDER FILE...: everything from the files, with the lookup in the order given.
generate() {
  local out="$TEST_TMPDIR/$1"
  shift
  mkdir -p "$out"
  "$opgen" index Language "$out/index.cc" "$@"
  "$opgen" examples Language "$out/examples.cc" "$@" -- "$lookup"
  "$opgen" guards "$out/guards.tsv" "$@" -- "$lookup"
  "$opgen" sources "$out" "$@" -- "$lookup"
}
generate once "${files[@]}"
generate again "${files[@]}"
generate reversed "${reversed[@]}"
diff -r "$TEST_TMPDIR/once" "$TEST_TMPDIR/again"
diff -r "$TEST_TMPDIR/once" "$TEST_TMPDIR/reversed"
[[ "$(ls "$TEST_TMPDIR/once" | wc -l)" == $((3 + ${#files[@]})) ]]
