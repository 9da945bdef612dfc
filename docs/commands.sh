#!/bin/bash
# Every command in a code block of README.md and docs/*.md that runs a tool is run, in a folder that
# looks like a clone; of the others every label must be a target (one that this test depends on).
set -uo pipefail
bin="$PWD"
labels=" //docs:update //:format //codegen:opgen //third_party/debian:update //tools:compile //tools:inspect //tools:run //tools:verify "
scratch="$TEST_TMPDIR/clone"
mkdir -p "$scratch"
cp -rL testdata "$scratch/"
cd "$scratch"
count=0 failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}

while IFS= read -r line; do
  for label in $(grep -oE '//[a-z_/]*:[a-z_]+' <<<"$line"); do
    [[ "$labels" == *" $label "* ]] || fail "\`$label\` in \`$line\` is no target that this test knows"
  done
  [[ "$line" =~ ^(\./bazelw|bazel)\ run\ //tools:([a-z]+)\ --\ (.*)$ ]] || continue
  tool="${BASH_REMATCH[2]}" arguments="${BASH_REMATCH[3]}"
  # Capitals stand for the reader's own files.
  [[ "$arguments" =~ (^|\ )[A-Z]{2,} ]] && continue
  count=$((count + 1))
  echo "+ $tool $arguments"
  eval "\"$bin/tools/$tool\" $arguments" >out.txt 2>&1 || {
    cat out.txt
    fail "\`$line\` ends with an error"
  }
done < <(for page in "$bin"/README.md "$bin"/docs/*.md; do
  awk '/^```/ { inside = !inside; next } inside' "$page"
done)

[[ "$count" -ge 3 ]] || fail "only $count commands found"
[[ -s unet.circle ]] || fail "the quick start leaves no artifact"
exit "$failed"
