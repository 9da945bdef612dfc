#!/bin/bash
# What a small file asks for, beyond what the user lets a tool take, is an error that says so.
set -uo pipefail
export LC_ALL=C
compile="$PWD/$1" run="$PWD/$2" given="$PWD/$3"
source "$PWD/$4"
source "$PWD/$5"
cd "$TEST_TMPDIR" || exit 1

outer_model >outer.onnx
product() { "$run" outer.onnx --input a=random:1 --input b=random:1 --dim "L=$1" --output-dir . "${@:2}"; }
expect 0 "" product 100
expect 0 "" product 100 --max-memory 200M
# 6.4 GB, where a model of some bytes may take 4 GiB.
expect 1 "--max-memory is 4096" product 40000
expect 1 "6400000000 bytes" product 40000
expect 1 '`Mul`' product 40000
expect 1 "--max-memory is 200 MiB" product 10000 --max-memory=200M
[[ ! -e out.npy ]] || fail "half an output"

# Sizes that no artifact can count: said of the node, in the file, and not by its kernels.
for dims in "1099511627776" "2147483648 2 1" "65536 65536" "2147483648 2147483648 2"; do
  expand_model $dims >wide.onnx
  for target in circle npu vulkan; do
    # Circle counts along each axis, and its sizes follow from the dims.
    [[ "$target" == circle && "$dims" == "65536 65536" ]] && continue
    expect 1 "wide.onnx" "$compile" wide.onnx --target "$target" -o wide.out
    [[ ! -e wide.out ]] || fail "half an output"
  done
  expect 1 'at `node`' "$compile" wide.onnx --target vulkan -o wide.out
done
# More than 64 bits count, which no target is asked about.
for target in circle npu vulkan; do
  expect 1 '`Expand` at `widen`: f32[2147483648,2147483648,2]' "$compile" wide.onnx --target "$target" -o wide.out
done

for size in 0 1K -1 12Q G ''; do
  expect 2 "--max-memory" "$compile" "$given" -o net.circle --max-memory "$size"
done
expect 0 "--max-memory SIZE" "$compile" --help
# Less than the program itself needs ends it in order, and leaves nothing.
"$compile" "$given" -o net.circle --max-memory 64M >out.txt 2>err.txt
code=$?
[[ $code == 0 || $code == 1 ]] || fail "exit code $code"
[[ $code == 0 || ! -e net.circle ]] || fail "half an output"
[[ $code == 0 ]] || grep -F -- "--max-memory is" err.txt >/dev/null || fail "no reason"
find . -name '.tessera-partial-*' | grep . && fail "a temporary file is left"
exit 0
