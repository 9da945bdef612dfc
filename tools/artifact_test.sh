#!/bin/bash
# `verify --artifact`: what is compared is the file that there is.
set -uo pipefail
export LC_ALL=C
compile="$PWD/$1" verify="$PWD/$2"
source "$PWD/$3"
source "$PWD/$4"
cd "$TEST_TMPDIR" || exit 1
expand_model 2 3 >wide.onnx
expand_model 3 2 >high.onnx
outer_model >outer.onnx

"$compile" outer.onnx --target=circle --strict-floats --disable-rewrite=Add.gather_constants -o outer.circle --quiet || fail compile
expect 0 "3 of 3 cases hold" "$verify" outer.onnx --artifact outer.circle --sizes=3
expect 0 "3 of 3 cases hold" "$verify" outer.onnx --target=circle --artifact outer.circle --sizes=3
"$compile" outer.onnx --target=vulkan -o outer.tvk --quiet || fail compile
expect 2 "is one of target \`vulkan\`, not \`circle\`" "$verify" outer.onnx --target=circle --artifact outer.tvk

# Not that of another model, nor a part of a file.
"$compile" high.onnx --target=circle -o high.circle --quiet || fail compile
expect 0 "1 of 1 cases hold" "$verify" high.onnx --artifact high.circle --sizes=1
expect 1 "shape" "$verify" wide.onnx --artifact high.circle --sizes=1
head -c 300 outer.circle >cut.circle
expect 1 "\`cut.circle\`: " "$verify" outer.onnx --artifact cut.circle --sizes=1
expect 2 "no artifact of a target that there is" "$verify" outer.onnx --artifact outer.onnx
expect 1 "nothing.circle" "$verify" outer.onnx --artifact nothing.circle
