#!/bin/bash
# What is assumed of sizes without being declared: said by every tool, recorded, checked, refusable.
set -uo pipefail
compile="$PWD/$1" inspect="$PWD/$2" prove="$PWD/$3" run="$PWD/$4" verify="$PWD/$5"
source "$PWD/$6"
source "$PWD/$7"
cd "$TEST_TMPDIR" || exit 1

mkdir model && pool_model >model/model.onnx
said="assumed: L >= 5 (so that windows fit; \`--strict-dims\` refuses instead)"
expect 0 "$said" "$compile" model/model.onnx -o pool.circle
expect 0 "$said" "$prove" model/model.onnx
expect 0 "$said" "$run" model/model.onnx --input x=random:1:1x1x5
expect 0 "$said" "$verify" model/model.onnx --target=circle
expect 0 "assumed: L >= 5" "$inspect" pool.circle
grep -qaF 'L >= 5' pool.circle || fail "the artifact does not say what was assumed"
grep -qF 'assumed: L >= 5' pool.circle.cert.json || fail "nor does the certificate"
expect 0 " 0 failed" "$prove" --check pool.circle.cert.json

# It holds at run time, or the run is refused.
expect 1 "L" "$run" model/model.onnx --input x=random:1:1x1x4
grep -q "is 4" err.txt || fail "the size is not named"

# Of an array that is given nothing has to be assumed.
expect 0 "imported for \`x of 1x1x5\` alone" "$run" model/model.onnx --input x=random:1:1x1x5 --strict-dims
grep -q "assumed" out.txt err.txt && fail "what the array says is assumed"
expect 1 "dim 0 given as 2, declared 1" "$run" model/model.onnx --input x=random:1:2x1x5 --strict-dims
expect 1 "window [5] does not fit in padded input [4]" "$run" model/model.onnx --input x=random:1:1x1x4 --strict-dims

expect 1 "no graph input \`z\`, for which there is z of 1x1x5; inputs are \`x\`" "$run" model/model.onnx --input z=random:1:1x1x5 --strict-dims

# Whoever wants none of it.
for tool in "$compile" "$prove" "$run" "$verify"; do
  expect 1 "true with \`--dim L=5..\`" "$tool" model/model.onnx --strict-dims
  expect 2 "assumes what \`--strict-dims\` refuses" "$tool" model/model.onnx --strict-dims --dim auto
done
"$compile" model/model.onnx -o pool.circle --dim L=5.. >out.txt 2>err.txt || fail "declared"
grep -q "assumed" out.txt && fail "what is declared is assumed"
exit 0
