#!/bin/bash
# The instances of the benchmark fit their capacities; what cannot fit is said not to.
set -uo pipefail
export LC_ALL=C
plan="$PWD/$1" instances="$PWD/$2"
source "$PWD/$3"
cd "$TEST_TMPDIR" || exit 1

expect 0 "11 of 11 fit" "$plan" "$instances"

mkdir small
printf 'id,lower,upper,size\na,0,3,6\nb,2,5,5\n' >small/a.10.csv
expect 1 "0 of 1 fit" "$plan" small
printf 'id,lower,upper,size\na,0,3,6\nb,2,5,4\nc,3,9,6\n' >small/a.10.csv
expect 0 "1 of 1 fit" "$plan" small
printf 'id,lower,upper,size\na,0,3\n' >small/a.10.csv
expect 1 "line 2 is not" "$plan" small
expect 2 "is no number" "$plan" small --effort=some
