#!/bin/bash
# Reproducers and dumps as a user meets them.
set -uo pipefail
compile="$PWD/$1" model="$PWD/$2"
nodes="$(cd "${RUNFILES_DIR:-${TEST_SRCDIR:-$PWD/..}}/debian" && pwd)/usr/share/libonnx-testdata/data/node"
refused="$nodes/test_det_2d/model.onnx" doubles="$nodes/test_einsum_sum/model.onnx"
cd "$TEST_TMPDIR" || exit 1
fail() {
  echo "FAILED: $*"
  [[ -e err.txt ]] && cat err.txt
  exit 1
}

# One before every pass; each runs again, from wherever it lies.
"$compile" "$model" -o a.circle --quiet --reproducer=made --emit-reproducer-before=all || fail "compile"
count=0
for file in made/*.reproducer; do
  count=$((count + 1))
  "$compile" --reproduce "$file" >out.txt 2>err.txt || fail "$file"
  grep -q "the passes ran" out.txt || fail "$file does not say that the passes ran"
done
[[ "$count" -gt 10 ]] || fail "only $count reproducers"
"$compile" --reproduce made/model.0-dead-code.reproducer >/dev/null 2>&1 && fail "a name that is no file"
# No weights in them: the model has 56 kB of those.
[[ "$(cat made/* | wc -c)" -lt $((count * 20000)) ]] || fail "reproducers are too large to be without weights"

# What the target refuses is no bug of ours: a file only on request. It fails in the same way.
"$compile" "$refused" --quiet 2>err.txt
[[ $? == 1 ]] || fail "a refused model: exit code"
[[ -z "$(ls ./*.reproducer 2>/dev/null)" ]] || fail "a refused model left a reproducer"
"$compile" "$refused" --quiet --reproducer=refused 2>err.txt
[[ $? == 1 ]] || fail "a refused model: exit code"
file="$(ls refused/*.reproducer)" || fail "no reproducer of a refused model"
grep -qF "$file" err.txt || fail "the message does not name $file"
"$compile" --reproduce "$file" >out.txt 2>err.txt
[[ $? == 1 ]] || fail "a refused model, reproduced: exit code"
grep -q "the same failure" out.txt || fail "another failure"

# Dumps are the same each time.
for folder in one two; do
  "$compile" "$model" -o a.circle --quiet --dump=text,dot,svg,html --dump-dir="$folder" || fail "dump"
  [[ -s "$folder/report.html" ]] || fail "no report"
  rm "$folder/report.html" # it tells times
done
diff -r one two || fail "two dumps differ"
[[ "$(ls one | wc -l)" -ge 9 ]] || fail "too few files: $(ls one)"

# The summary says what is computed in another precision, and of nothing else that results differ.
"$compile" "$doubles" -o d.circle >out.txt 2>err.txt || fail "a model in f64"
grep -q "results may differ: .circle-narrow-doubles. .*--disable-pass=circle-narrow-doubles" out.txt || fail "f64 is not spoken of"
"$compile" "$doubles" -o d.circle --disable-pass=circle-narrow-doubles 2>err.txt
[[ $? == 1 ]] || fail "a model in f64 without the pass: exit code"
"$compile" "$model" -o a.circle >out.txt 2>err.txt || fail "compile"
grep -q "results may differ" out.txt && fail "a model in f32: results may differ"

for wrong in "--dmup=svg" "--dump=svgg" "--emit-reproducer-before=canonicalise" "--print-ir-after=css"; do
  "$compile" "$model" "$wrong" 2>err.txt
  [[ $? == 2 ]] || fail "$wrong: exit code"
  grep -q "did you mean" err.txt || fail "$wrong: no suggestion"
done
for flag in "-o x" "--emit-ir x" "--dim N=1" "--bind x=x.npy" --guards --strict-dims; do
  "$compile" --reproduce "$file" $flag 2>err.txt
  [[ $? == 2 ]] || fail "$flag with a reproducer: exit code"
  grep -q "goes with MODEL, not with .--reproduce" err.txt || fail "$flag with a reproducer"
done
"$compile" "$model" --disable-pass all 2>err.txt
[[ $? == 2 ]] || fail "--disable-pass all: exit code"
grep -q "no such pass; there are " err.txt && ! grep -q "there are all" err.txt || fail "--disable-pass all"
"$compile" "$model" --reproduce "$file" 2>err.txt
[[ $? == 2 ]] || fail "a model and a reproducer: exit code"
exit 0
