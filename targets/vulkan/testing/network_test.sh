#!/bin/bash
# network_test.sh VERIFY COMPILE INSPECT RUN UNET.onnx LSTM.onnx GRU.onnx: networks as a user meets them: one artifact for every size, the same bytes each time, and clear errors.
set -uo pipefail
verify="$1" compile="$2" inspect="$3" run="$4" unet="$5" lstm="$6" gru="$7"
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
done

unet_tvk="$TEST_TMPDIR/unet.tvk"
"$compile" "$unet" --target=vulkan -o "$unet_tvk" --quiet || fail "compile"
"$compile" "$unet" --target=vulkan -o "$TEST_TMPDIR/again.tvk" --quiet || fail "compile again"
cmp "$unet_tvk" "$TEST_TMPDIR/again.tvk" || fail "two compilations differ"
"$inspect" "$unet_tvk" --operators --tensors --verify || fail "the artifact breaks a rule"
# What only moves elements is no dispatch: pad, slice, and one half of the concatenation's copies.
"$inspect" "$unet_tvk" | grep -q '^7 dispatches of 7 kernels' || fail "$("$inspect" "$unet_tvk")"
"$inspect" "$unet_tvk" --json >"$TEST_TMPDIR/unet.json" || fail "as JSON"
grep -q '"arena_bytes"' "$TEST_TMPDIR/unet.json" || fail "JSON without the arena"

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
