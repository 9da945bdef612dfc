#!/bin/bash
# Artifacts for runtimes of others, and in them: what is compiled, what `inspect` says of it, and
# `verify --with`.
set -uo pipefail
export LC_ALL=C
compile="$PWD/$1" inspect="$PWD/$2" verify="$PWD/$3" packages="$PWD/$4"
source "$PWD/$5"
source "$PWD/$6"
cd "$TEST_TMPDIR" || exit 1
# y = OP(x), over an axis `L`.
one_operator() {
  local type
  type="$(bytes 2 "$(bytes 1 "$(number 1 1)$(bytes 2 "$(bytes 1 "$(bytes 2 L)")")")")"
  number 1 8
  bytes 7 "$(bytes 1 "$(bytes 1 x)$(bytes 2 y)$(bytes 3 node)$(bytes 4 "$1")")$(bytes 2 g)$(bytes 11 "$(bytes 1 x)$type")$(bytes 12 "$(bytes 1 y)")"
  bytes 8 "$(number 2 14)"
}
one_operator HardSwish >swish.onnx

# One operator, which one of the runtimes lacks.
"$compile" swish.onnx --target=circle --runtime=litert -o plain.circle --quiet || fail compile
expect 0 "nothing is known that would not run in litert" "$inspect" plain.circle --runtime=litert
expect 1 "HARD_SWISH f32>f32 of rank 1: onert: refused: " "$inspect" plain.circle --runtime=onert
expect 1 "HARD_SWISH f32>f32 of rank 1: onert: refused: " "$inspect" plain.circle --runtime=any
expect 1 "Unsupported operation: HARD_SWISH" "$verify" swish.onnx --target=circle --runtime=litert --sizes=1 --with=onert --runtime-dir="$packages"
expect 0 "executed by litert" "$verify" swish.onnx --target=circle --runtime=litert --sizes=1 --with=litert --runtime-dir="$packages"
expect 0 "1 of 1 cases hold" "$verify" swish.onnx --target=circle --sizes=1 --with=executor

# For a runtime, and for all, which is what goes without saying.
"$compile" swish.onnx --target=circle -o swish.circle --quiet || fail compile
expect 0 "nothing is known that would not run in any" "$inspect" swish.circle --runtime=any
expect 0 "executed by onert" "$verify" swish.onnx --target=circle --sizes=1 --with=onert --runtime-dir="$packages"
for runtime in onert any; do
  "$compile" swish.onnx --target=circle --runtime=$runtime -o swish.circle --quiet || fail compile
  expect 0 "nothing is known that would not run in $runtime" "$inspect" swish.circle --runtime=$runtime
  for with in onert litert executor; do
    packed=(--runtime-dir="$packages")
    [[ $with == executor ]] && packed=()
    expect 0 "3 of 3 cases hold" "$verify" swish.onnx --target=circle --runtime=$runtime --sizes=3 --with=$with "${packed[@]}"
  done
done
"$compile" swish.onnx --target=circle --runtime=litert -o litert.circle --quiet || fail compile
expect 0 "HARD_SWISH" "$inspect" litert.circle --operators

# What is not there.
expect 1 "python3 -m pip install onert==0.1.0" "$verify" swish.onnx --target=circle --runtime=onert --sizes=1 --with=onert --runtime-dir="$TEST_TMPDIR"
expect 1 "python3 -m pip install ai-edge-litert==2.3.0" "$verify" swish.onnx --target=circle --sizes=1 --with=litert --runtime-dir="$TEST_TMPDIR"
expect 2 "there are \`executor\`, \`litert\`, \`onert\` for target \`circle\`" "$verify" swish.onnx --target=circle --with=tflite
expect 2 "there is \`executor\` for target \`reference\`" "$verify" swish.onnx --target=reference --with=onert
expect 2 "goes with" "$verify" swish.onnx --target=circle --runtime-dir="$packages"
expect 2 "\`--runtime onret\`: did you mean \`onert\`? There are \`any\`, \`litert\`, \`onert\`" "$compile" swish.onnx --target=circle --runtime=onret -o x.circle
expect 2 "\`--runtime ligert\`: did you mean \`litert\`?" "$inspect" plain.circle --runtime=ligert
expect 2 "\`--target cirle\`: did you mean \`circle\`?" "$compile" swish.onnx --target=cirle -o x.circle
expect 2 "\`--target cirle\`: did you mean \`circle\`?" "$verify" swish.onnx --target=cirle
expect 2 "\`--reading rounded\`: there are \`rounded_sizes\`, \`whole_lengths\`, \`nearest_sizes\`" "$compile" swish.onnx --reading=rounded -o x.circle
expect 2 "takes no other switch" "$inspect" plain.circle --runtime=onert --tensors
[[ ! -e x.circle ]] || fail "an artifact of what was refused"
