#!/bin/bash
# Networks as a user compiles them for the NPU: what verify says of them, artifacts run as verify
# ran them, states go on from run to run, wrong flags and damaged files.
set -uo pipefail
export LC_ALL=C
tools="$PWD/$1" data="$PWD/$2"
source "$PWD/$3"
verify="$tools/verify" compile="$tools/compile" prove="$tools/prove" inspect="$tools/inspect" run="$tools/run"
cd "$TEST_TMPDIR" || exit 1

for network in acoustic_affine kws_conv1d kws_dscnn acoustic_lstm denoise_gru; do
  for device in gna-2.0 gna-3.0 gna-3.5; do
    for weights in i16 i8; do
      expect 0 "saturations: 0" "$verify" "$data/$network/model.onnx" --target=npu --npu-device=$device --npu-weights=$weights
    done
  done
done
grep -q "25 dB" out.txt || fail "verify names the SNR that is asked"

model="$data/kws_conv1d/model.onnx" sets="$data/kws_conv1d"
expect 0 "100.0 % of the multiplications on the device" "$compile" "$model" --target=npu --npu-device=gna-3.0 --calibrate "$sets" -o a.npu
expect 0 "wrote" "$compile" "$model" --target=npu --npu-device=gna-3.0 --calibrate "$sets" -o b.npu
cmp a.npu b.npu || fail "two compilations differ"
expect 0 "scratch" "$inspect" a.npu
expect 0 "convolution_row" "$inspect" a.npu --operators
expect 0 "segments" "$inspect" a.npu --json
"$inspect" a.npu --html a.html || fail "no page"
for part in "<h1>a.npu</h1>" "Stages and cuts" "scratch, [0-9]* bytes" "read-only, [0-9]* bytes" "weights of "; do
  grep -q "$part" a.html || fail "the page lacks $part"
done
grep -qE 'https?:|url\(|src=|<script' a.html && fail "the page needs something else"
expect 0 "output" "$run" a.npu --input input="$sets/test_data_set_0/input_0.pb" --output-dir out
[[ -s out/output.npy ]] || fail "no output"
# What the scales do not hold is said.
expect 0 "wrote" "$compile" "$model" --target=npu --npu-device=gna-3.0 --scale input=10000000 -o narrow.npu
expect 0 "numbers of the inputs beyond what their scales hold" "$run" narrow.npu --input input=random:1
# The certificate says which limits of the device the artifact meets.
expect 0 "" "$prove" --check a.npu.cert.json --model "$model"
grep -q '"id": "convolution_row.filters.W"' a.npu.cert.json || fail "no limit in the certificate"
sed 's/"statement": "8 <= \([0-9]*\) /"statement": "4 <= \1 /' a.npu.cert.json >weak.cert.json
cmp -s a.npu.cert.json weak.cert.json && fail "nothing was changed"
cp a.npu weak
expect 1 "" "$prove" --check weak.cert.json
# Activations of 8 bits, where the device has them.
for flags in "kws_conv1d gna-3.0" "acoustic_affine gna-3.5"; do
  read -r network device <<<"$flags"
  expect 0 "25 dB" "$verify" "$data/$network/model.onnx" --target=npu --npu-device="$device" --npu-activations=i8
done
expect 0 "wrote" "$compile" "$model" --target=npu --npu-device=gna-3.0 --npu-activations=i8 --calibrate "$sets" -o e.npu
expect 0 "output" "$run" e.npu --input input="$sets/test_data_set_0/input_0.pb"
expect 2 "gna-2.0 affine.input.type: i16" "$compile" "$model" --target=npu --npu-device=gna-2.0 --npu-activations=i8 --calibrate "$sets" -o d.npu
expect 2 "\`--npu-activations i4\`: did you mean \`i8\`?" "$compile" "$model" --target=npu --npu-activations=i4 -o d.npu
# A network that says its scales itself; its own rounding is half a step.
expect 0 "3 of 3 cases hold" "$verify" "$data/quantized/kws_qdq/model.onnx" --target=npu --npu-device=gna-3.0
grep -q "25 dB" out.txt || fail "verify names the SNR that is asked"
# Networks that compute with integers between scales, with and without the host; ranges that only
# the data say are those of calibration, or refused by name.
for device in gna-2.0 gna-3.5; do
  expect 0 "3 of 3 cases hold" "$verify" "$data/quantized/kws_qoperator/model.onnx" --target=npu --npu-device=$device
done
unet="$data/quantized/unet_qoperator"
expect 0 "3 of 3 cases hold" "$verify" "$unet/model.onnx" --target=npu --npu-device=gna-3.5 --npu-fallback=host --dim N=1 --dim H=33 --dim W=47
expect 0 "98.2 % of the multiplications on the device" "$compile" "$unet/model.onnx" --target=npu --npu-device=gna-3.5 --npu-fallback=host --dim N=1 --dim H=33 --dim W=47 --calibrate "$unet" -o u.npu
for network in gru_dynamic kws_dynamic; do
  for device in gna-2.0 gna-3.5; do
    expect 0 "3 of 3 cases hold" "$verify" "$data/quantized/$network/model.onnx" --target=npu --npu-device=$device
  done
done
gru="$data/quantized/gru_dynamic"
expect 0 "3 of 3 cases hold" "$verify" "$gru/model.onnx" --target=npu --stream=T --frame=4
expect 0 "\`npu-measured-scales\` takes scales" "$compile" "$gru/model.onnx" --target=npu --calibrate "$gru" -o g.npu
expect 1 "at \`input_QuantizeLinear\`" "$compile" "$gru/model.onnx" --target=npu --calibrate "$gru" --disable-pass=npu-measured-scales -o d.npu
# Without data: the range of the input is enough.
expect 0 "seeded random inputs" "$compile" "$model" --target=npu --scale input=3000 -o c.npu

# Frames of some entries: what is kept between them makes them one long input.
for flags in "acoustic_lstm 1 gna-2.0" "acoustic_lstm 8 gna-2.0" "denoise_gru 8 gna-3.0" "causal_conv1d 8 gna-2.0" "causal_conv1d 4 gna-3.5" "padded_conv1d 8 gna-2.0" "padded_conv1d 4 gna-3.0" "pooled_conv1d 8 gna-2.0" "pooled_conv1d 4 gna-3.5"; do
  read -r network frame device <<<"$flags"
  expect 0 "2 of 2 cases hold" "$verify" "$data/$network/model.onnx" --target=npu --npu-device="$device" --stream=T --frame="$frame"
done
stream="$data/causal_conv1d"
expect 0 "frames of 8 entries of \`T\`; latency: that of a frame" "$compile" "$stream/model.onnx" --target=npu --npu-device=gna-3.0 --calibrate "$stream" --stream=T --frame=8 -o s.npu
expect 0 "100.0 % of the multiplications on the device" "$compile" "$stream/model.onnx" --target=npu --npu-device=gna-3.0 --calibrate "$stream" --stream=T --frame=4 -o t.npu
expect 0 "frames of 4" "$inspect" t.npu
for frames in s t; do
  expect 0 "output" "$run" $frames.npu --input input="$stream/test_data_set_0/input_0.pb" --output-dir out_$frames
done
# Zeros behind the last entry make outputs late: the stream has to end before the last of them come.
padded="$data/padded_conv1d"
expect 0 "latency: 4 entries beside that of a frame, 1 frame" "$compile" "$padded/model.onnx" --target=npu --npu-device=gna-3.0 --calibrate "$padded" --stream=T --frame=8 -o p.npu
# An array of zeros, 16 by so many entries.
zeros() {
  local header="{'descr': '<f4', 'fortran_order': False, 'shape': (1, 16, $1), }"
  printf '\x93NUMPY\x01\x00\x50\x00%-79s\n' "$header"
  head -c $((64 * $1)) /dev/zero
}
zeros 40 >whole.npy
for _ in 1 2 3 4 5; do zeros 8; done >frames.npy
expect 0 "f32[1,12,40]" "$run" p.npu --input x=whole.npy
grep '^y ' out.txt | tr -s ' ' | cut -d' ' -f3- >expected
expect 0 "5 runs" "$run" p.npu --stream --input x=frames.npy --output y=ys.npy --output-dir streamed
grep '^y ' out.txt | tr -s ' ' | cut -d' ' -f3- >actual
cmp expected actual || fail "frames are not one long input"
(( $(stat -c %s ys.npy) == 6 * 128 + 12 * 40 * 4 )) || fail "not an array for each run and one for the rest"
cmp ys.npy streamed/y.npy || fail "the folder has something else"
"$run" p.npu --stream --input x=- --output y=- <frames.npy >piped.npy 2>err.txt || fail "no stream from standard input"
cmp ys.npy piped.npy || fail "standard input yields something else"
(zeros 16; zeros 13) | "$run" p.npu --stream --input x=- >out.txt 2>err.txt || fail "a last frame that is not full"
# What all entries leave is that of one long input too, and known in the end.
pooled="$data/pooled_conv1d"
expect 0 "wrote" "$compile" "$pooled/model.onnx" --target=npu --npu-device=gna-3.0 --calibrate "$pooled" --stream=T --frame=8 -o m.npu
expect 0 "f32[1,8]" "$run" m.npu --input x=whole.npy --output-dir pooled
expect 0 "5 runs" "$run" m.npu --stream --input x=frames.npy --output y=ends.npy
cmp <(tail -c 32 ends.npy) <(tail -c 32 pooled/y.npy) || fail "the end of a stream is not that of one long input"
zeros 8 >one.npy
expect 0 "2 runs" "$run" p.npu --stream --input x=one.npy --input x=one.npy
head -c 3000 frames.npy >cut.npy
expect 1 "array 5: a .npy array is cut off" "$run" p.npu --stream --input x=cut.npy
expect 2 "no run depends on another" "$run" c.npu --stream --input input=x.npy
expect 2 "goes with an artifact" "$run" "$padded/model.onnx" --stream --input x=x.npy
expect 2 "are .npy files, or" "$run" p.npu --stream --input x=- --output y=y.pb
expect 2 "given twice" "$run" p.npu --input x=whole.npy --input x=whole.npy
expect 1 "has a size besides" "$compile" "$stream/model.onnx" --target=npu --calibrate "$stream" --stream=time -o d.npu
expect 2 "goes with \`--stream SYMBOL\`" "$compile" "$stream/model.onnx" --target=npu --calibrate "$stream" --frame=8 -o d.npu
expect 2 "no number from 1 to" "$compile" "$stream/model.onnx" --target=npu --calibrate "$stream" --stream=T --frame=0 -o d.npu

expect 2 "goes with \`--target=npu\`" "$compile" "$model" --npu-device=gna-3.0 -o d.circle
expect 2 "\`--npu-device gna-9\`: did you mean \`gna-" "$compile" "$model" --target=npu --npu-device=gna-9 -o d.npu
expect 2 "\`--npu-weights i4\`: did you mean \`i8\`? There are \`i16\`, \`i8\`" "$compile" "$model" --target=npu --npu-weights=i4 -o d.npu
expect 2 "no number above 0" "$compile" "$model" --target=npu --pwl-max-error=0 -o d.npu
expect 2 "INPUT=NUMBER" "$compile" "$model" --target=npu --scale input -o d.npu
expect 1 "the inputs are \`input\`" "$compile" "$model" --target=npu --scale x=1 -o d.npu
expect 1 "give \`--calibrate FOLDER\`" "$compile" "$model" --target=npu -o d.npu
mkdir empty
expect 1 "has no \`test_data_set_K\`" "$compile" "$model" --target=npu --calibrate empty -o d.npu
[[ ! -e d.npu ]] || fail "half an output"
head -c 5000 a.npu >cut.npu
expect 1 "verifier refuses" "$inspect" cut.npu
(head -c 20000 a.npu; printf x; tail -c +20002 a.npu) >damaged.npu
expect 1 "damaged" "$run" damaged.npu --input input="$sets/test_data_set_0/input_0.pb"
