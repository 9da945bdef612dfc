#!/bin/bash
# network_test.sh VERIFY COMPILE INSPECT RUN BENCH TUNE PROVE UNET.onnx LSTM.onnx GRU.onnx: networks as a user meets them: one artifact for every size, the same bytes each time, and clear errors.
set -uo pipefail
verify="$1" compile="$2" inspect="$3" run="$4" bench="$5" tune="$6" prove="$7" unet="$8" lstm="$9" gru="${10}"
fail() {
  echo "FAILED: $*"
  exit 1
}

# expect CODE TEXT COMMAND...: how it ends, and what it says.
expect() {
  local code="$1" text="$2" out
  shift 2
  out="$("$@" 2>&1)"
  local ended=$?
  [[ $ended == "$code" ]] || fail "exit code $ended, not $code: $*: $out"
  [[ "$out" == *"$text"* ]] || fail "no '$text' from: $*: $out"
}

for model in "$unet" "$lstm" "$gru"; do
  "$verify" "$model" --target=vulkan || fail "$model does not agree with the reference"
  "$verify" "$model" --target=vulkan --precision=f16 || fail "$model does not agree in f16"
done
expect 2 "\`f32\`, \`f16\`" "$compile" "$unet" --target=vulkan --precision=f8 -o "$TEST_TMPDIR/no.tvk"

unet_tvk="$TEST_TMPDIR/unet.tvk"
"$compile" "$unet" --target=vulkan -o "$unet_tvk" --quiet || fail "compile"
"$compile" "$unet" --target=vulkan -o "$TEST_TMPDIR/again.tvk" --quiet || fail "compile again"
cmp "$unet_tvk" "$TEST_TMPDIR/again.tvk" || fail "two compilations differ"
"$inspect" "$unet_tvk" --operators --tensors --verify || fail "the artifact breaks a rule"
# What only moves elements is no dispatch: pad, slice, and one half of the concatenation's copies.
"$inspect" "$unet_tvk" | grep -q '^7 dispatches of 7 kernels' || fail "$("$inspect" "$unet_tvk")"
"$inspect" "$unet_tvk" --json >"$TEST_TMPDIR/unet.json" || fail "as JSON"
grep -q '"arena_bytes"' "$TEST_TMPDIR/unet.json" || fail "JSON without the arena"

# The certificate says of the memory that it is apart, in the words of the file, and a solver agrees.
grep -q '"memory.apart"' "$unet_tvk.cert.json" && grep -q '"memory.inside"' "$unet_tvk.cert.json" || fail "a certificate without the memory"
expect 0 "0 failed" "$prove" --check "$unet_tvk.cert.json" --model "$unet"
# So it does of what kernels read and write, and each element is written.
(($(grep -c '"access.inside"' "$unet_tvk.cert.json") == 7)) || fail "a certificate without accesses"
(($(grep -c '"access.complete"' "$unet_tvk.cert.json") == 5)) || fail "a certificate without what is written"
! grep -q 'nothing is said' "$unet_tvk.cert.json" || fail "an access that is neither proved nor looked at"
sed "s/in use at the same time/in use at no time/" "$unet_tvk.cert.json" >"$TEST_TMPDIR/other.tvk.cert.json"
cp "$unet_tvk" "$TEST_TMPDIR/other.tvk"
expect 1 "was written with a certificate" "$prove" --check "$TEST_TMPDIR/other.tvk.cert.json" --model "$unet"

expect 2 "\`time\`, \`memory\`" "$compile" "$unet" --target=vulkan --prefer=both -o "$TEST_TMPDIR/no.tvk"
"$compile" "$unet" --target=vulkan --prefer=memory -o "$TEST_TMPDIR/less.tvk" --quiet || fail "compile for less memory"

# Where memory is short inputs are run by parts, and outputs are the same bytes.
expect 0 "by parts along" "$compile" "$unet" --target=vulkan --arena 1M -o "$TEST_TMPDIR/parts.tvk"
# seamless WHOLE PARTS SIZE...: two artifacts give the same bytes.
seamless() {
  local whole="$1" parts="$2" size kind
  shift 2
  for size in "$@"; do
    for kind in "$whole" "$parts"; do
      "$run" "$TEST_TMPDIR/$kind.tvk" --input "input=random:5:$size" --output output="$TEST_TMPDIR/$kind.npy" >"$TEST_TMPDIR/log.txt" 2>&1 ||
        fail "$kind at $size: $(cat "$TEST_TMPDIR/log.txt")"
    done
    cmp "$TEST_TMPDIR/$whole.npy" "$TEST_TMPDIR/$parts.npy" || fail "$parts has seams at $size"
  done
}
seamless less parts 1x3x1x1 1x3x99x61 2x3x64x200 1x3x131x257
expect 0 '"steps": [' "$bench" "$TEST_TMPDIR/parts.tvk" --dim H=99 --dim W=130 --runs 4 --json
"$compile" "$unet" --target=vulkan --arena 2K -o "$TEST_TMPDIR/few.tvk" --quiet || fail "compile for few bytes"
expect 1 "the least parts of these sizes that are admitted take" "$run" "$TEST_TMPDIR/few.tvk" --input input=random:5:1x3x32x32
# Parts are as long as sizes are declared to be, the last one too.
"$compile" "$unet" --target=vulkan --prefer=memory --dim H=40.. --dim W=24..300 -o "$TEST_TMPDIR/less_long.tvk" --quiet || fail "compile for long images"
"$compile" "$unet" --target=vulkan --arena 1M --dim H=40.. --dim W=24..300 -o "$TEST_TMPDIR/parts_long.tvk" --quiet || fail "compile for parts of long images"
# With greater least sizes a solver proves as much as without.
expect 0 "0 evaluated, 0 guarded, 0 failed" "$prove" --check "$TEST_TMPDIR/less_long.tvk.cert.json" --model "$unet"
expect 0 "0 evaluated, 0 guarded, 0 failed" "$prove" --check "$TEST_TMPDIR/parts_long.tvk.cert.json" --model "$unet"
seamless less_long parts_long 2x3x64x200 1x3x131x257
"$compile" "$unet" --target=vulkan --arena 256K --dim H=40.. --dim W=24..300 -o "$TEST_TMPDIR/few_long.tvk" --quiet || fail "compile for few bytes of long images"
expect 1 "the least parts of these sizes that are admitted take" "$run" "$TEST_TMPDIR/few_long.tvk" --input input=random:5:1x3x131x257
expect 1 "no input can be run by parts" "$compile" "$lstm" --target=vulkan --arena 1M -o "$TEST_TMPDIR/no.tvk"
expect 2 "no number of bytes" "$compile" "$unet" --target=vulkan --arena=0 -o "$TEST_TMPDIR/no.tvk"

# A page that says how near the plan of memory is to what is in use.
"$inspect" "$unet_tvk" --html "$TEST_TMPDIR/unet.html" || fail "as a page"
for text in '<svg class="memory"' '<svg class="roofline"' 'of what is in use at one time' 'Pad + Conv + Relu'; do
  grep -qF "$text" "$TEST_TMPDIR/unet.html" || fail "no '$text' on the page"
done
# Within 1.10 of what is in use at one time.
grep -qE 'these are [0-9]+ bytes: 1\.0[0-9]* times' "$TEST_TMPDIR/unet.html" || fail "the plan of memory: $(grep -o 'these are [^.]*' "$TEST_TMPDIR/unet.html")"

# In 16 bits weights and what lies between dispatches take half the room.
"$compile" "$unet" --target=vulkan --precision=f16 -o "$TEST_TMPDIR/half.tvk" --quiet || fail "compile in f16"
arena() { "$inspect" "$1" --html "$TEST_TMPDIR/page.html" && grep -o 'these are [0-9]* bytes' "$TEST_TMPDIR/page.html" | grep -o '[0-9]*'; }
(($(arena "$TEST_TMPDIR/half.tvk") * 10 <= $(arena "$unet_tvk") * 6)) || fail "f16 saves no memory"

# Times, for sizes by name; what is not named is the least that is admitted.
expect 0 "input f32[1,3,32,48]" "$bench" "$unet_tvk" --dim H=32 --dim W=48 --runs 3 --warm-up 1
expect 0 '"steps": [' "$bench" "$unet_tvk" --dim H=32 --dim W=48 --runs 2 --json
# Kernels that are written by hand: where shared memory costs little they are taken, and compute the same. There is little of it: this driver takes long to make those of large tiles.
printf 'device cheap like portable // exchanges\nshared_bytes 4096\ninvocations 16\nexchange 0.0001\nmultiply 0.0001\n' >"$TEST_TMPDIR/cheap.device"
expect 0 "kernels that are written by hand: TILED_MATMUL" "$compile" "$unet" --target=vulkan --device-profile "$TEST_TMPDIR/cheap.device" -o "$TEST_TMPDIR/hand.tvk"
expect 0 "TILED_MATMUL TILE_M=" "$inspect" "$TEST_TMPDIR/hand.tvk" --operators --verify
expect 0 "0 failed" "$prove" --check "$TEST_TMPDIR/hand.tvk.cert.json" --model "$unet"
expect 0 "" "$verify" "$unet" --target=vulkan --device-profile "$TEST_TMPDIR/cheap.device"
expect 2 "is none of \`h100\`, \`lavapipe\`, \`portable\` and no file" "$compile" "$unet" --target=vulkan --device-profile no-device -o "$TEST_TMPDIR/no.tvk"
# By an instruction for matrices where the profile has one and f16 is asked for; a device without says so.
printf 'device matrices like h100\nmatrix 0.000001\n' >"$TEST_TMPDIR/matrices.device"
expect 0 "MATRIX_MATMUL TILE_M=" "$compile" "$unet" --target=vulkan --precision=f16 --device-profile "$TEST_TMPDIR/matrices.device" -o "$TEST_TMPDIR/matrices.tvk"
expect 0 "0 failed" "$prove" --check "$TEST_TMPDIR/matrices.tvk.cert.json" --model "$unet"
expect 1 "the model needs \`cooperativeMatrix" "$run" "$TEST_TMPDIR/matrices.tvk" --input input=random:5:1x3x32x32
"$compile" "$unet" --target=vulkan --device-profile "$TEST_TMPDIR/matrices.device" -o "$TEST_TMPDIR/single.tvk" 2>&1 | grep -q MATRIX_MATMUL && fail "operands of f32 were rounded"
printf 'device a\nexchange -1\n' >"$TEST_TMPDIR/wrong.device"
expect 1 "line 2: \`exchange\` is a number above 0" "$compile" "$unet" --target=vulkan --device-profile "$TEST_TMPDIR/wrong.device" -o "$TEST_TMPDIR/no.tvk"
expect 2 "no dim of an input has that name" "$bench" "$unet_tvk" --dim h=32 --runs 2
expect 2 "1 to" "$bench" "$unet_tvk" --runs 0
expect 2 "says that \`H\` is 7" "$bench" "$unet_tvk" --dim H=7 --input input=random:1:1x3x32x48 --runs 2
expect 2 "goes with a network" "$bench" "$unet_tvk" --strict-dims
expect 0 "does not tell its steps apart" "$bench" "$unet" --dim N=1 --dim H=8 --dim W=8 --runs 2

# What was measured is chosen by, on that device alone.
tdb="$TEST_TMPDIR/device.tdb"
expect 0 "kernels timed on" "$tune" "$unet" --dim H=16,24 --dim W=16 --runs 2 --device-profile "$TEST_TMPDIR/cheap.device" -o "$tdb" --quiet
expect 0 "7 of 7 kernels chosen by times on" "$compile" "$unet" --target=vulkan --tune-db "$tdb" -o "$TEST_TMPDIR/tuned.tvk"
for kind in "$unet_tvk" "$TEST_TMPDIR/tuned.tvk"; do
  "$run" "$kind" --input input=random:5:1x3x31x33 >"$kind.txt" 2>/dev/null || fail "$kind"
done
awk 'FNR == NR { for (i = 3; i <= 5; ++i) seen[FNR, i] = $i; next }
     FNR > 1 { for (i = 3; i <= 5; ++i) { d = $i - seen[FNR, i]; if (d < -1e-4 || d > 1e-4) exit 1 } }' \
  "$unet_tvk.txt" "$TEST_TMPDIR/tuned.tvk.txt" || fail "$(cat "$unet_tvk.txt" "$TEST_TMPDIR/tuned.tvk.txt")"
sed 's/"device": "[^"]*"/"device": "other"/' "$tdb" >"$TEST_TMPDIR/other.tdb"
expect 1 "no device" "$compile" "$unet" --target=vulkan --tune-db "$TEST_TMPDIR/other.tdb" --tune-device llvmpipe -o "$TEST_TMPDIR/no.tvk"
expect 1 "no database of times" "$compile" "$unet" --target=vulkan --tune-db "$unet" -o "$TEST_TMPDIR/no.tvk"
expect 2 "no dim of an input has that name" "$tune" "$unet" --dim h=16 -o "$tdb"
# Nothing is measured for a place that cannot be written to, nor over what is read.
expect 1 "nowhere/x.tdb" "$tune" "$unet" --dim H=16 --dim W=16 --runs 2 -o nowhere/x.tdb
cp "$TEST_TMPDIR/cheap.device" "$TEST_TMPDIR/own.device"
expect 2 "is what \`--device-profile\` names, which the database" "$tune" "$unet" --dim H=16 --device-profile "$TEST_TMPDIR/own.device" -o "$TEST_TMPDIR/own.device"
expect 2 "goes with" "$compile" "$unet" --target=vulkan --tune-device x -o "$TEST_TMPDIR/no.tvk"

# A picture goes in, and one comes out.
"$run" "$unet" --input input=random:3:1x3x20x30 --output output="$TEST_TMPDIR/a.npy" >"$TEST_TMPDIR/log.txt" 2>&1 || fail "$(cat "$TEST_TMPDIR/log.txt")"
"$run" "$unet_tvk" --input input=random:3:1x3x20x30 --output output="$TEST_TMPDIR/a.png" >"$TEST_TMPDIR/log.txt" 2>&1 || fail "$(cat "$TEST_TMPDIR/log.txt")"
expect 0 "f32[1,3,20,30]" "$run" "$unet_tvk" --input input="$TEST_TMPDIR/a.png" --output output="$TEST_TMPDIR/b.pb"
expect 0 "f32[1,3,20,30]" "$run" "$unet" --input input="$TEST_TMPDIR/b.pb" --output output="$TEST_TMPDIR/c.png"
expect 2 "did you mean" "$run" "$unet_tvk" --input input=random:3:1x3x4x4 --output outputs="$TEST_TMPDIR/d.png"
expect 2 "neither .npy nor .pb nor .png" "$run" "$unet_tvk" --input input=random:3:1x3x4x4 --output output="$TEST_TMPDIR/d.jpg"

# What the driver made of kernels is kept where it can be; what is damaged there is made anew, and where nothing can be kept a network runs all the same.
kept() { TESSERA_CACHE="$1" "$run" "$unet_tvk" --input input=random:3:1x3x20x30 >"$TEST_TMPDIR/kept.txt" 2>&1 || fail "with pipelines in $1: $(cat "$TEST_TMPDIR/kept.txt")"; }
kept "$TEST_TMPDIR/cache/new"
pipelines="$(echo "$TEST_TMPDIR"/cache/new/*.pipelines)"
[[ -s "$pipelines" ]] || fail "no pipelines are kept"
cp "$pipelines" "$TEST_TMPDIR/whole.pipelines" && head -c 150 "$TEST_TMPDIR/whole.pipelines" >"$pipelines"
kept "$TEST_TMPDIR/cache/new"
cmp "$pipelines" "$TEST_TMPDIR/whole.pipelines" || fail "what was cut off is not made anew"
for folder in /dev/null "$TEST_TMPDIR/whole.pipelines/cache" ""; do kept "$folder"; done

# One artifact, sizes of every kind, against the reference's outputs for the same seeds.
for size in 1x3x1x1 1x3x1x7 1x3x2x2 1x3x5x3 2x3x16x16 1x3x31x33 1x3x64x48 3x3x17x2 1x3x100x9 1x3x8x77; do
  for kind in "$unet" "$unet_tvk"; do
    "$run" "$kind" --input "input=random:7:$size" >"$TEST_TMPDIR/${kind##*.}.txt" 2>"$TEST_TMPDIR/log.txt" ||
      fail "$kind at $size: $(cat "$TEST_TMPDIR/log.txt")"
  done
  awk 'FNR == NR { for (i = 3; i <= 5; ++i) seen[FNR, i] = $i; type[FNR] = $2; next }
       FNR > 1 {
         if ($2 != type[FNR]) exit 1
         for (i = 3; i <= 5; ++i) { d = $i - seen[FNR, i]; if (d < -1e-4 || d > 1e-4) exit 1 }
       }' "$TEST_TMPDIR/onnx.txt" "$TEST_TMPDIR/tvk.txt" ||
    fail "at $size: $(cat "$TEST_TMPDIR/onnx.txt" "$TEST_TMPDIR/tvk.txt")"
done

# What is wrong is said, and nothing is left behind.
expect 1 "the size is 4" "$run" "$unet_tvk" --input input=random:1:1x4x8x8
head -c 60000 "$unet_tvk" >"$TEST_TMPDIR/cut.tvk"
expect 1 "cut off" "$run" "$TEST_TMPDIR/cut.tvk" --input input=random:1:1x3x8x8
printf 'x' | dd of="$TEST_TMPDIR/again.tvk" bs=1 seek=70000 conv=notrunc status=none
expect 1 "damaged" "$inspect" "$TEST_TMPDIR/again.tvk"
VK_ICD_FILENAMES=/nowhere.json expect 1 "Vulkan" "$run" "$unet_tvk" --input input=random:1:1x3x8x8
