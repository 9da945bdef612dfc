#!/bin/bash
# Proofs and certificates as a user meets them, through the tools.
set -uo pipefail
prove="$1" compile="$2" model="$3" program="$4"
cd_out="$TEST_TMPDIR"
fail() {
  echo "FAILED: $*"
  exit 1
}
# expect CODE PATTERN COMMAND...: the exit code, and a text on stdout or stderr.
expect() {
  local code="$1" pattern="$2"
  shift 2
  "$@" >"$cd_out/said.txt" 2>&1
  local got=$?
  [[ $got == "$code" ]] || { cat "$cd_out/said.txt"; fail "exit code $got, not $code: $*"; }
  grep -q -- "$pattern" "$cd_out/said.txt" || { cat "$cd_out/said.txt"; fail "\`$pattern\` is not said by: $*"; }
}

expect 0 "0 refuted, 0 guarded" "$prove" "$model"
expect 0 "proved" "$prove" --statement 'W >= 1 |- mod(W + mod(16 - mod(W, 16), 16), 8) == 0'
expect 1 "X=2" "$prove" --statement 'X >= 2 |- floordiv(1, X - 1) == 0'
expect 1 "(1 against 0)" "$prove" --statement 'X >= 2 |- floordiv(1, X - 1) == 0'
expect 1 "left is a\*a\*a" "$prove" --statement 'a >= 1; b >= 1; c >= 1 |- a*a*a + b*b*b != c*c*c'
expect 1 "vacuous" "$prove" --statement 'X >= 2; X <= 1 |- X == 7'
expect 1 "column" "$prove" --statement 'X >= 2 |- X +'
expect 2 "--help" "$prove"

expect 0 "wrote" "$compile" "$model" -o "$cd_out/net.circle"
certificate="$cd_out/net.circle.cert.json"
[[ -s "$certificate" ]] || fail "no certificate"
expect 0 " 0 nodes not derived" "$prove" --check "$certificate" --model "$model"
expect 0 "only the statements were checked" "$prove" --check "$certificate"
"$compile" "$model" -o "$cd_out/again.circle" --quiet || fail "compile"
cmp <(sed 's/again.circle/net.circle/; /^  "sha256"/d' "$cd_out/again.circle.cert.json") <(sed '/^  "sha256"/d' "$certificate") || fail "two certificates differ"

# Of an exported program likewise.
expect 0 "wrote" "$compile" "$program" -o "$cd_out/program.circle"
expect 0 " 0 nodes not derived" "$prove" --check "$cd_out/program.circle.cert.json" --model "$program"
expect 1 "rejected" "$prove" --check "$cd_out/program.circle.cert.json" --model "$model"
expect 1 "rejected" "$prove" --check "$certificate" --model "$program"
expect 1 "neither an ONNX model nor a program" "$prove" --check "$certificate" --model "$certificate"

# Each of these must be noticed.
tampered() {
  cp "$cd_out/net.circle" "$cd_out/forged.circle"
  sed "$2" "$certificate" >"$cd_out/forged.circle.cert.json"
  cmp -s "$cd_out/forged.circle.cert.json" "$certificate" && fail "nothing was changed: $1"
  "$prove" --check "$cd_out/forged.circle.cert.json" >"$cd_out/said.txt" 2>&1
  [[ $? == 1 ]] || { cat "$cd_out/said.txt"; fail "not noticed: $1"; }
}
tampered "a statement" '0,/"statement": "/s//"statement": "1 + /'
tampered "a verdict" '0,/"verdict": "proved"/s//"verdict": "guarded"/'
tampered "a bound" '0,/"lo": 1/s//"lo": 2/'
tampered "a digest" '0,/"sha256": "./s//"sha256": "x/'
cp "$certificate" "$cd_out/stale.circle.cert.json"
head -c 1000 "$cd_out/net.circle" >"$cd_out/stale.circle"
expect 1 "stale.circle" "$prove" --check "$cd_out/stale.circle.cert.json"
rm "$cd_out/stale.circle"
expect 1 "stale.circle" "$prove" --check "$cd_out/stale.circle.cert.json"

# The solver is no program that the environment names; one that crashes has proved nothing.
mkdir -p "$cd_out/other/debian/usr/bin"
printf '#!/bin/sh\nkill -SEGV $$\n' | tee "$cd_out/cvc5" "$cd_out/other/debian/cvc5" >"$cd_out/other/debian/usr/bin/cvc5"
chmod +x "$cd_out/cvc5" "$cd_out/other/debian/cvc5" "$cd_out/other/debian/usr/bin/cvc5"
expect 0 "0 failed" env RUNFILES_DIR="$cd_out/other" PATH="$cd_out:$PATH" "$prove" --check "$certificate" --model "$model"
expect 1 "cvc5 was ended by signal 11" "$prove" --check "$certificate" --solver "$cd_out/cvc5"
printf '#!/bin/sh\nexec sleep 1000\n' >"$cd_out/sleeps"
chmod +x "$cd_out/sleeps"
expect 1 "timeout" "$prove" --check "$certificate" --solver "$cd_out/sleeps" --timeout 1
expect 2 "a number of seconds" "$prove" --check "$certificate" --timeout soon
expect 0 "proofs written" "$prove" --check "$certificate" --proofs "$cd_out/proofs"
ls "$cd_out/proofs/"*.smt2 >/dev/null || fail "no query"
grep -q "(cl)" "$cd_out/proofs/"*.alethe || fail "no proof"
echo "passed"
