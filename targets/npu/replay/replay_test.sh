#!/bin/bash
# The tool as a user meets it: its last line, its exit codes, its words for bad files.
set -uo pipefail
export LC_ALL=C
replay="$PWD/$1" recordings="$PWD/$2"
source "$PWD/$3"
cd "$TEST_TMPDIR" || exit 1

expect 0 "Replays recorded runs" "$replay" --help
expect 2 "DIR" "$replay"
expect 1 "nowhere: no such file or folder" "$replay" nowhere
mkdir empty
expect 1 "empty: holds no .json file" "$replay" empty

expect 0 "131 matched, 59 rejected as recorded, 0 failed" "$replay" "$recordings"
[[ "$(tail -n 1 out.txt)" == "131 matched, 59 rejected as recorded, 0 failed" ]] || fail "the last line"
expect 0 "1 matched, 0 rejected as recorded, 0 failed" "$replay" "$recordings/081_transposition_interleave_i16_v1_0.json"
expect 0 "gna-2.0 affine.input.H: 8..65535, a multiple of 8" "$replay" --list "$recordings/131_rejected_fc_inputs_multiple_v2_0.json"

mkdir bad
echo '{"name": "cut' >bad/cut.json
echo '{}' >bad/empty.json
sed 's/"device":"2.0"/"device":"9.9"/' "$recordings/082_transposition_interleave_i16_v2_0.json" >bad/device.json
sed 's/"device":"1.0"/"device":"2.0"/' "$recordings/147_rejected_fc_grouping_v1_0.json" >bad/refusal.json
cp "$recordings/083_transposition_interleave_i16_v3_0.json" bad/
expect 1 "1 matched, 0 rejected as recorded, 4 failed" "$replay" bad
cat out.txt >all.txt
for words in "bad/cut.json: failed: is no JSON" "bad/empty.json: failed: \`/\` lacks \`name\`" \
  "bad/device.json: failed: there is no device \`9.9\`" "bad/refusal.json: failed: is accepted; recorded is Internal Other"; do
  grep -qF "$words" all.txt || fail "no '$words'"
done
