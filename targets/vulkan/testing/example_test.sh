#!/bin/bash
# example_test.sh EXAMPLE MODEL.tvk: the example runs the model, and says what is wrong with other files.
set -uo pipefail
out="$("$1" "$2")" || exit 1
[[ "$out" == *'`output` begins with '* ]] || { echo "FAILED: $out"; exit 1; }
out="$("$1" "$0" 2>&1)" && exit 1
[[ "$out" == *"not a .tvk file"* ]] || { echo "FAILED: $out"; exit 1; }
