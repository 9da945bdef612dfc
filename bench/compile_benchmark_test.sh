#!/bin/bash
# compile_benchmark_test.sh BENCHMARK: it runs on both of its models, and the compiler keeps to its bound of memory. Times are for people to read: they depend on what else the machine does.
set -uo pipefail
fail() {
  echo "FAILED: $*"
  exit 1
}

export TMPDIR="$TEST_TMPDIR"
report="$TEST_TMPDIR/report.json"
"$1" --benchmark_min_time=0.001 --benchmark_format=json >"$report" || fail "it does not run"
cat "$report"
grep -q error_occurred "$report" && fail "one of its benchmarks does"
for name in {compile,process,certificate}/{unet_d1_padded,resnet18}; do
  grep -q "\"name\": \"$name/" "$report" || fail "no $name"
done
[[ -z "$(ls "$TEST_TMPDIR" | grep -v '^report.json$')" ]] || fail "files are left"

# Of the last that has it, process/resnet18.
bound="$(sed -n 's/.*"of_memory_bound": \([0-9.e+-]*\),*/\1/p' "$report" | tail -n 1)"
awk -v bound="$bound" 'BEGIN { exit !(bound > 0 && bound <= 1) }' || fail "peak memory is $bound of its bound"
