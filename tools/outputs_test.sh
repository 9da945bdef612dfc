#!/bin/bash
# What the tools write: whole or not at all, over nothing that is read, and fit for a terminal.
set -uo pipefail
export LC_ALL=C
compile="$PWD/$1" inspect="$PWD/$2" prove="$PWD/$3" run="$PWD/$4" verify="$PWD/$5" given="$PWD/$6"
source "$PWD/$7"
source "$PWD/$8"
cd "$TEST_TMPDIR" || exit 1
names() { find "$1" -mindepth 1 -printf '%f\n' | sort | tr '\n' ' '; }

# Nothing that is read, and nothing twice.
mkdir read && cd read || exit 1
cp "$given" model.onnx && chmod u+w model.onnx
cp model.onnx net.circle.cert.json
ln model.onnx hard.onnx
ln -s model.onnx soft.onnx
printf 'version: "1.0"\n' >config.yaml
small_model Add 4 >small.onnx
printf 'aaaabbbbccccdddd' >weights
# The same with its weights in `q.circle.onnx`.
small_model Add 4 q.circle.onnx >kept.onnx
cp weights q.circle.onnx
mkdir -p samples/test_data_set_0 && cp weights samples/test_data_set_0/input_0.pb
cp model.onnx net.circle
printf '{"version": 1, "records": []}' >times.tdb
printf 'device own like portable\n' >own.device
all() { find . -type f -exec sha256sum {} + | sort; }
before="$(all)"
for output in model.onnx hard.onnx soft.onnx ./../read/model.onnx; do
  expect 2 "is the model, which the artifact would overwrite" "$compile" model.onnx -o "$output"
done
expect 2 "which the certificate would overwrite" "$compile" net.circle.cert.json -o net.circle
expect 2 "is the configuration, which the artifact" "$compile" model.onnx --config config.yaml -o config.yaml
expect 2 "is the artifact, which the page would" "$inspect" net.circle.cert.json --html net.circle.cert.json
expect 2 "is both the artifact and the final IR" "$compile" model.onnx -o new --emit-ir ./new
expect 2 "is both the final IR and the certificate" "$compile" model.onnx -o new --emit-ir new.cert.json
expect 2 "is data of the model, which the artifact" "$compile" small.onnx -o weights
expect 2 "is the model, which the certificate would" "$prove" model.onnx -o soft.onnx
expect 2 "is the artifact's certificate, which the page would" "$inspect" net.circle --html net.circle.cert.json
# What flags of a target name: files, and samples in a folder.
expect 2 "is what \`--tune-db\` names, which the artifact" "$compile" model.onnx --target=vulkan --tune-db times.tdb -o times.tdb
expect 2 "is what \`--device-profile\` names, which the final IR" "$compile" small.onnx --target=vulkan --device-profile own.device -o new --emit-ir own.device
expect 2 "is a sample of \`--calibrate\`, which the artifact" "$compile" model.onnx --target=npu --calibrate samples -o samples/test_data_set_0/input_0.pb
expect 2 "is a sample of \`--calibrate\`, which the final IR" "$compile" small.onnx --compress circle --calibrate samples -o new --emit-ir samples/test_data_set_0/input_0.pb
# What is compressed first does not take the place of the weights that it is made of.
expect 2 "is data of the model, which the compressed model" "$compile" kept.onnx --compress weights-int8 -o q.circle
"$run" small.onnx --input x=random:1 --output-dir . >/dev/null 2>err.txt || fail run
mv y.npy x.npy && ln x.npy y.npy
expect 2 "is the input \`x\`, which the output \`y\`" "$run" small.onnx --input x=x.npy --output-dir .
rm x.npy y.npy out.txt err.txt
[[ "$(all)" == "$before" ]] || fail "a file was overwritten, or made"
cd .. || exit 1

# The standard output is an output.
"$compile" "$given" -o net.circle --quiet || fail compile
for command in "$compile $given -o other.circle" "$inspect net.circle" "$inspect net.circle --json" \
  "$prove $given" "$prove --check net.circle.cert.json" "$run read/small.onnx --input x=random:1" \
  "$verify read/small.onnx --data ." "$compile --help"; do
  $command >/dev/full 2>err.txt
  [[ $? == 1 ]] || fail "/dev/full: exit code of $command"
  grep -q "cannot write to the standard output: No space left on device" err.txt || fail "/dev/full: $command"
done
"$prove" --statement 'H >= 1 |- H >= 0' >/dev/full 2>/dev/null && fail "/dev/full: a statement"
"$compile" "$given" -o quiet.circle --quiet >&- 2>err.txt || fail "no output, and nothing to say"

# So is a pipe, under the names that a shell gives it.
"$compile" "$given" -o /dev/stdout --quiet | cmp - net.circle || fail "/dev/stdout, a pipe"
"$compile" "$given" -o >(cat >through.circle) --quiet || fail "a pipe of the shell"
for _ in $(seq 100); do cmp -s through.circle net.circle && break; sleep 0.05; done
cmp through.circle net.circle || fail "a pipe of the shell: another artifact"

# What is replaced stays as private as it was.
printf x >private.circle && chmod 600 private.circle
"$compile" "$given" -o private.circle --quiet || fail "over a private file"
[[ "$(stat -c %a private.circle)" == 600 ]] || fail "a private file became $(stat -c %a private.circle)"
rm private.circle* through.circle

# Links lead to where they lead, also to what is not there yet.
mkdir far && ln -s far/net.circle link.circle
"$compile" "$given" -o link.circle --quiet || fail "a dangling link"
[[ -L link.circle && -s far/net.circle ]] || fail "a link was replaced"
cmp -s link.circle net.circle || fail "through a link: another artifact"

# All or nothing: the reader of the final IR lets the compiler wait with half of its files written.
mkdir half
printf 'old' >half/a.circle
printf 'old' >half/a.circle.cert.json
start() {
  rm -f pipe && mkfifo pipe
  # What a shell starts in the background ignores interrupts otherwise.
  env --default-signal=INT "$compile" "$1" -o half/a.circle --emit-ir pipe --quiet 2>err.txt &
  pid=$!
  for _ in $(seq 600); do
    [[ "$(names half)" == *partial* ]] && break
    sleep 0.05
  done
  [[ "$(names half)" == *partial* ]] || fail "no temporary file"
}
untouched() {
  [[ "$(cat half/a.circle half/a.circle.cert.json)" == oldold ]] || fail "$1: what was there is lost"
}
for signal in INT TERM HUP; do
  start "$given"
  untouched "$signal"
  kill "-$signal" $pid
  wait $pid
  code=$?
  [[ $code == $((128 + $(kill -l "$signal"))) ]] || fail "$signal: exit code $code"
  untouched "$signal"
  [[ "$(names half)" == "a.circle a.circle.cert.json " ]] || fail "$signal leaves $(names half)"
done
start "$given"
kill -KILL $pid
wait $pid
untouched KILL
[[ "$(names half)" == *partial* ]] || fail "nothing for the next run to remove"
"$compile" "$given" -o half/b.circle --quiet || fail "the run after a killed one"
[[ "$(names half)" == "a.circle a.circle.cert.json b.circle b.circle.cert.json " ]] || fail "the next run leaves $(names half)"
rm half/b.*
(ulimit -f 8 && "$compile" "$given" -o half/a.circle --quiet) >/dev/null 2>err.txt
[[ $? == 1 ]] || fail "a file beyond the limit: exit code"
grep -q "File too large" err.txt || fail "a file beyond the limit"
untouched "a file beyond the limit"
mkdir half/folder.cert.json
expect 1 "half/folder.cert.json" "$compile" "$given" -o half/folder --quiet
rmdir half/folder.cert.json
[[ "$(names half)" == "a.circle a.circle.cert.json " ]] || fail "a failure leaves $(names half)"

# A model that is written to meanwhile.
cp "$given" changing.onnx && chmod u+w changing.onnx
touch -d '1 hour ago' changing.onnx
start changing.onnx
printf x >>changing.onnx
cat pipe >/dev/null
wait $pid
[[ $? == 1 ]] || fail "a model that grows: exit code"
grep -q "changing.onnx. was changed while it was read" err.txt || fail "a model that grows"
untouched "a model that grows"
# Weights go straight from there into the artifact, as much at a time as a pipe takes.
mkdir large && small_model Add 262144 >large/model.onnx && tr '\0' a </dev/zero | head -c 1M >large/weights
rm pipe && mkfifo pipe
"$compile" large/model.onnx -o pipe --quiet 2>err.txt &
exec 3<pipe # both ends are open once the compiler has the artifact ready
truncate -s 1000 large/weights
cat <&3 >/dev/null
exec 3<&-
wait $!
[[ $? == 1 ]] || fail "truncated weights: exit code"
grep -q "was changed while it was read: it had 1048576 bytes, and has 1000" err.txt || fail "truncated weights"

# Artifact and certificate of different runs.
expect 0 "net.circle.cert.json\` was made for it" "$inspect" net.circle --verify
"$compile" read/small.onnx -o small.circle --quiet || fail "the small model"
"$inspect" small.circle --html page.html || fail "a page of the small model"
grep -q "<h1>small.circle</h1>" page.html || fail "the page has no title"
expect 2 "prints nothing" "$inspect" small.circle --html page.html --json
expect 1 "no/page.html" "$inspect" small.circle --html no/page.html
# An artifact runs as the network does.
"$run" read/small.onnx --input x=random:1 --output-dir by_reference >out.txt 2>&1 || fail "run the network"
expect 0 "Circle in" "$run" small.circle --input x=random:1 --output-dir by_target
cmp by_reference/y.npy by_target/y.npy || fail "the artifact yields something else"
expect 2 "given twice" "$run" small.circle --input x=random:1 --output y=once.npy --output y=twice.pb
expect 0 "once.pb, twice/y.npy" "$run" small.circle --input x=random:1 --output y=once.pb --output-dir twice
cmp by_reference/y.npy twice/y.npy || fail "the file and the folder hold different outputs"
expect 2 "is the input \`x\`" "$run" small.circle --input x=once.pb --output y=once.pb
expect 2 "no output" "$run" small.circle --input x=random:1 --output z=once.npy
expect 1 "no \`--input x=...\`" "$run" small.circle
for flag in "--dim N=1" "--bind x=once.pb" --strict-dims --strict-opset "--max-unroll 3"; do
  expect 2 "\`${flag%% *}\` goes with a network" "$run" small.circle --input x=random:1 $flag
  expect 2 "\`${flag%% *}\` goes with \`--nest\` or \`--scopes\`" "$inspect" small.circle $flag
done
"$run" small.circle --input x=random:1 --strict-dims=false >out.txt 2>err.txt || fail "a switch that was taken back"
# What is bound is no input any more.
expect 2 "\`--bind x\` makes a constant of it" "$run" read/small.onnx --bind x=once.pb --input x=random:1
head -c 100 small.circle >short.circle
expect 1 "short.circle" "$run" short.circle --input x=random:1
cp small.circle net.circle
expect 0 "was made for another artifact than \`net.circle\`" "$inspect" net.circle
expect 1 "was made for another artifact than \`net.circle\`" "$inspect" net.circle --verify
expect 1 "net.circle" "$prove" --check net.circle.cert.json
rm net.circle.cert.json
expect 0 "verified" "$inspect" net.circle --verify

# What files say does not steer the terminal.
escape=$'\x1b[31m' bell=$'\x07' c1=$'\xc2\x9b'
plain() {
  "$@" >out.txt 2>err.txt
  cat out.txt err.txt | tr -d '\000-\010\013-\037\177' | cmp -s - <(cat out.txt err.txt) || fail "a control character: $*"
  grep -qF "$c1" out.txt err.txt && fail "a control character beyond ASCII: $*"
  [[ -s out.txt || -s err.txt ]] || fail "nothing was said: $*"
}
mkdir hostile && cp read/weights hostile
small_model "A${escape}dd$bell$c1" 4 >hostile/model.onnx
sed "s/node/n\\x1b[2/" read/small.onnx >hostile/named.onnx
for tool in "$compile" "$prove" "$run" "$verify"; do
  plain "$tool" hostile/model.onnx
  plain "$tool" hostile/named.onnx
  plain "$tool" "no$escape$bell$c1"
  plain "$tool" "--no$escape"
done
grep -q 'x1b' err.txt || fail "an escape is not told"
plain "$compile" hostile/named.onnx -o named.circle --print-ir-after=all
plain "$inspect" named.circle --operators --tensors
# An input `x` of its own name, a byte that is none of a terminal's.
pool_model | sed "s/\x0a\x01x/\x0a\x01\x07/g" >hostile/input.onnx
"$compile" hostile/input.onnx -o input.circle --quiet || fail "an input of a hostile name"
plain "$prove" --check input.circle.cert.json --model hostile/input.onnx
expect 0 "0 failed" "$prove" --check input.circle.cert.json --model hostile/input.onnx
plain "$prove" --statement "H$escape >= 1 |- H >= 0"
printf 'f\tn\x1b[31m\tH >= 1\tH >= \x072\tvalid\n' >statements.tsv
plain "$prove" --statements statements.tsv
sed 's/"node": "[^"]*/&\x1b[31m\x07/; s/"id": "/&\\u001b[31m/' small.circle.cert.json >small.cert.json
plain "$prove" --check small.cert.json
plain "$prove" --check "$given"
printf 'version: "1.0"\n"a\\e[31m\\0": 1\n' >hostile.yaml
plain "$compile" "$given" --config hostile.yaml
printf "\x93NUMPY\x01\x00\x76\x00{'de\x1b[31m\x00scr': '<f4'}%97s\n" "" >x.npy
plain "$run" read/small.onnx --input x=x.npy

# What does nothing where it stands.
for flag in "--timeout 5" "--solver cvc5" "--proofs folder" --allow-evaluated "--model x"; do
  expect 2 "\`${flag%% *}\` goes with \`--check\`" "$prove" read/small.onnx $flag
done
for flag in "-o x" "--dim N=1" --guards --whole; do
  expect 2 "goes with MODEL, not with \`--check\`" "$prove" --check small.circle.cert.json $flag
done
for flag in "-o x" "--dim N=1" --guards; do
  expect 2 "goes with MODEL, not with \`--statement\`" "$prove" --statement 'H >= 1 |- H >= 0' $flag
done
expect 2 "\`--timeout\` goes with \`--check\`" "$prove" --statement 'H >= 1 |- H >= 0' --timeout 5
expect 0 " 3 with --check: not all of it is proved" "$prove" --help

# What is empty is no statement, no model and no file.
expect 2 "is empty" "$prove" --statement ""
expect 2 "empty" "$prove" ""
expect 2 "is empty" "$compile" "$given" -o ""
exit 0
