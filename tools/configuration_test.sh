#!/bin/bash
# The configuration as a user meets it: printed in full, TICO's, and what it changes.
set -uo pipefail
compile="$PWD/$1" config="$PWD/$2" run="$PWD/$3" model="$PWD/$4"
cd "$TEST_TMPDIR" || exit 1
fail() {
  echo "FAILED: $*"
  [[ -e err.txt ]] && cat err.txt
  exit 1
}

# What is printed is what holds: compiled with it, the file is the same.
"$config" -o whole.yaml 2>err.txt || fail "config"
"$config" --config whole.yaml >again.yaml 2>err.txt || fail "config of what config printed"
cmp whole.yaml again.yaml || fail "what is printed is read as something else"
"$compile" "$model" --quiet -o plain.circle 2>err.txt || fail "compile"
"$compile" "$model" --quiet --config whole.yaml -o whole.circle 2>err.txt || fail "compile with all of it"
cmp plain.circle whole.circle || fail "the whole configuration changes the artifact"

# TICO's, as JSON.
printf '{"version": "1.0", "convert_rhs_const_mm_to_fc": false, "legalize_causal_mask_value": true, "remove_constant_input": false}' >tico.json
"$config" --from-tico tico.json -o tessera.yaml 2>err.txt || fail "config --from-tico"
grep -q "remove_constant_input.*an argument that is no tensor" err.txt || fail "no word of a key that asks for nothing"
printf 'version: "1.0"\ncircle_optimize: false\n' >unoptimized.yaml
"$config" --from-tico unoptimized.yaml -o ours.yaml 2>err.txt || fail "config of circle_optimize"
grep -q '`circle_optimize: off`: each pass that does a part of it' err.txt || fail "no word of what takes its place"
grep -q "^convert_rhs_const_mm_to_fc: off " tessera.yaml || fail "a key that is off"
grep -q "^legalize_causal_mask_value: on " tessera.yaml || fail "a key that is on"
grep -q "^  SOFTMAX.added_mask: on " tessera.yaml || fail "what the key stands for"
for file in tico.json tessera.yaml; do
  "$compile" "$model" --config "$file" -o "$file.circle" >out.txt 2>err.txt || fail "compile with $file"
  grep -q 'on request: `FULLY_CONNECTED.as_product`' out.txt || fail "the summary does not say what applied"
  grep -q "^BATCH_MATMUL" out.txt || fail "no BATCH_MATMUL"
done
cmp tico.json.circle tessera.yaml.circle || fail "TICO's file and ours differ"
"$compile" "$model" --quiet --enable-rewrite FULLY_CONNECTED.as_product -o flag.circle 2>err.txt || fail "a rewrite by a flag"

# The values are the same.
for file in plain flag; do
  "$run" "$file.circle" --input ids=random:1:1x3 --input keys=random:2:1x2x4x4 --input values=random:3:1x2x4x4 --output-dir "$file" >out.txt 2>err.txt || fail "run $file"
done
for file in plain/*.npy; do
  cmp "$file" "flag/$(basename "$file")" || fail "other values"
done

# What is wrong is named.
expect() {
  local code="$1" text="$2" got
  shift 2
  "$@" >out.txt 2>err.txt
  got=$?
  [[ "$got" == "$code" ]] || fail "exit code $got in place of $code: $*"
  grep -qF "$text" err.txt || fail "no \`$text\`: $*"
}
printf 'version: "1.0"\nlegalise_causal_mask_value: true\n' >wrong.yaml
expect 1 'wrong.yaml:2:1: unknown key `legalise_causal_mask_value`; did you mean `legalize_causal_mask_value`?' \
  "$compile" "$model" --config wrong.yaml -o x.circle
expect 1 'wrong.yaml:2:1: unknown key `legalise_causal_mask_value`; did you mean `legalize_causal_mask_value`?' \
  "$config" --from-tico wrong.yaml -o x.yaml
printf '{\n  "version": "1.0",\n  "remove_constant_input": true,\n  "convert_rhs_const_mm_to_cf": false\n}\n' >wrong.json
expect 1 'wrong.json:4:3: unknown key `convert_rhs_const_mm_to_cf`; did you mean `convert_rhs_const_mm_to_fc`?' \
  "$config" --from-tico wrong.json -o x.yaml
printf '{"version": "1.0",\n "circle_optimize": true, "circle_optimize": false}\n' >wrong.json
expect 1 'wrong.json:2:27: key `circle_optimize` twice' "$config" --from-tico wrong.json -o x.yaml
[[ ! -e x.yaml ]] || fail "a configuration made of one that is wrong"
printf 'version: "1.0"\npasses: {circle-legalize: off}\n' >wrong.yaml
expect 1 'which `circle-legalize` sees to, and that pass is off' "$compile" "$model" --config wrong.yaml -o x.circle
expect 1 'wrong.yaml:2:1: unknown key `passes`: TICO has none such; `--config` takes it' "$config" --from-tico wrong.yaml
expect 2 'did you mean `FULLY_CONNECTED.as_product`?' "$compile" "$model" --enable-rewrite FULLY_CONNECTED.as_produkt -o x.circle
expect 2 'not both' "$config" --config wrong.yaml --from-tico wrong.yaml
[[ ! -e x.circle ]] || fail "an artifact of a compilation that failed"
echo "the configuration holds"
