#!/bin/bash
# recurrent_network_test.sh VERIFY ACOUSTIC_LSTM.onnx DENOISE_GRU.onnx: recurrent networks of any length agree with what is stored beside them, and for each stored length also through Circle.
set -uo pipefail
verify="$1" lstm="$2" gru="$3"
fail() {
  echo "FAILED: $*"
  exit 1
}

# at MODEL SET LENGTH: the artifact for that length, on that data set alone.
at() {
  local data="$TEST_TMPDIR/data_$3"
  mkdir -p "$data/test_data_set_0"
  cp -L "$(dirname "$1")/test_data_set_$2/"*.pb "$data/test_data_set_0/"
  "$verify" "$1" --target=circle --data="$data" --dim "T=$3" || fail "$1 of $3 frames"
}

for model in "$lstm" "$gru"; do
  "$verify" "$model" || fail "$model on the reference"
  "$verify" "$model" --target=circle 2>"$TEST_TMPDIR/dynamic.txt"
  [[ $? == 1 ]] || fail "$model of any length for Circle: exit code"
  grep -q 'a recurrence over `T` positions' "$TEST_TMPDIR/dynamic.txt" || fail "$model: the reason of the refusal"
done
at "$lstm" 0 50
at "$lstm" 1 7
at "$gru" 0 20
at "$gru" 1 3
