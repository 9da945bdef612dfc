#!/bin/bash
# Every command in a code block of README.md and docs/*.md that runs a tool on a file of the
# repository is run, in a folder that looks like a clone. Every label in a command must be one of the arguments.
set -uo pipefail
bin="$PWD"
labels=" $* "
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
  [[ "$line" =~ ^(\./bazelw|bazel)\  ]] || continue
  for label in $(grep -oE '//[a-z_/]*:[a-z_]+' <<<"$line"); do
    [[ "$labels" == *" $label "* ]] || fail "\`$label\` in \`$line\` is not in MENTIONED of docs/BUILD"
  done
  [[ "$line" =~ ^(\./bazelw|bazel)\ run\ //tools:([a-z]+)\ --\ (.*)$ ]] || continue
  tool="${BASH_REMATCH[2]}" arguments="${BASH_REMATCH[3]}"
  # Others speak of the reader's own files.
  ours=0
  for word in $arguments; do [[ -f "$word" ]] && ours=1; done
  [[ "$ours" == 1 ]] || continue
  count=$((count + 1))
  echo "+ $tool $arguments"
  eval "\"$bin/tools/$tool\" $arguments" >out.txt 2>&1 || {
    cat out.txt
    fail "\`$line\` ends with an error"
  }
done < <(for page in "$bin"/README.md "$bin"/docs/*.md; do
  awk '/^```/ { inside = !inside; next } inside' "$page"
done)

[[ "$count" -ge 5 ]] || fail "only $count commands found"
[[ -s unet.circle ]] || fail "the quick start leaves no artifact"
exit "$failed"
