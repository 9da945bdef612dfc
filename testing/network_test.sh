#!/bin/bash
# A network as a user meets it: verified on both targets, compiled to the same bytes each time, and refused without leaving half an artifact when damaged.
set -uo pipefail
verify="$1" compile="$2" inspect="$3" model="$4" artifact="$5"
fail() {
  echo "FAILED: $*"
  exit 1
}

"$verify" "$model" --target=circle || fail "the artifact does not agree with the reference"
"$compile" "$model" -o "$TEST_TMPDIR/again.circle" --quiet || fail "compile"
cmp "$TEST_TMPDIR/again.circle" "$artifact" || fail "two compilations differ"
"$inspect" "$artifact" --verify || fail "the artifact breaks a rule of the format"

head -c 20000 "$model" >"$TEST_TMPDIR/cut.onnx"
"$compile" "$TEST_TMPDIR/cut.onnx" -o "$TEST_TMPDIR/cut.circle" 2>"$TEST_TMPDIR/cut.txt"
[[ $? == 1 ]] || fail "a truncated model: exit code"
[[ ! -e "$TEST_TMPDIR/cut.circle" ]] || fail "a truncated model left an artifact"
grep -q cut.onnx "$TEST_TMPDIR/cut.txt" || fail "a truncated model is not named"
: >"$TEST_TMPDIR/empty.onnx"
"$compile" "$TEST_TMPDIR/empty.onnx" -o "$TEST_TMPDIR/empty.circle" 2>"$TEST_TMPDIR/empty.txt"
[[ $? == 1 ]] || fail "an empty file: exit code"
"$compile" "$model" --targt=circle 2>"$TEST_TMPDIR/flag.txt"
[[ $? == 2 ]] || fail "a wrong flag: exit code"
grep -q -- "--target" "$TEST_TMPDIR/flag.txt" || fail "a wrong flag: no suggestion"
