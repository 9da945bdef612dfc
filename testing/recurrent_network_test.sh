#!/bin/bash
# recurrent_network_test.sh VERIFY COMPILE ACOUSTIC_LSTM.onnx DENOISE_GRU.onnx: recurrent networks of any length agree with what is stored beside them, also through Circle: as a loop, and unrolled for each stored length.
set -uo pipefail
verify="$1" compile="$2" lstm="$3" gru="$4"
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

# loops MODEL [--dim T=N]: how many WHILE there are in the artifact.
loops() {
  "$compile" "$@" -o "$TEST_TMPDIR/network.circle" 2>&1 | sed -n 's/^WHILE *//p'
}

for model in "$lstm" "$gru"; do
  "$verify" "$model" || fail "$model on the reference"
  "$verify" "$model" --target=circle || fail "$model of any length through Circle"
done
at "$lstm" 0 50
at "$lstm" 1 7
at "$gru" 0 20
at "$gru" 1 3
[[ "$(loops "$lstm")" == 2 ]] || fail "two recurrences of any length are two loops"
[[ "$(loops "$lstm" --dim T=256)" == "" ]] || fail "256 positions are unrolled"
[[ "$(loops "$lstm" --dim T=4000)" == 2 ]] || fail "4000 positions are a loop"
