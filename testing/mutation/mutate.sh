#!/bin/bash
# bazel run //testing:mutate -- [--count=N] [--seed=S] [--kind=KIND] [--keep=FOLDER]
#
# Makes small wrong edits of the definitions and tells which of them opgen, the compiler or the
# generated tests notice: a score per kind, and the survivors. Of an edit, only what opgen makes of
# its file is compiled, with the build's own flags, and loaded into a program that has all else.
set -euo pipefail

opgen="$PWD/$1" mutants="$PWD/$2" runner="$PWD/$3" deviations="$PWD/$4" known="$PWD/$5" defaults="$PWD/$6"
# Goldens of samples and of imports, recorded nodes, two tables of schemas, ONNX's tests, other nodes.
facts=("$PWD/$7" "$PWD/$8" "$PWD/$9" "$PWD/${10}" "$PWD/${11}" "$PWD/${12}" "$PWD/${13}")
shift 13
export TEST_PROGRAMS="$PWD/testdata/pt2"
count=500 seed=1 kind= work=
for arg in "$@"; do
  case "$arg" in
    --count=*) count="${arg#*=}" ;;
    --seed=*) seed="${arg#*=}" ;;
    --kind=*) kind="${arg#*=}" ;;
    --keep=*) work="${arg#*=}" ;;
    *)
      echo "usage: mutate [--count=N] [--seed=S] [--kind=KIND] [--keep=FOLDER]" >&2
      exit 2
      ;;
  esac
done
if [[ -z "$work" ]]; then
  work="$(mktemp -d)"
  trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
work="$(realpath "$work")"
source="${BUILD_WORKSPACE_DIRECTORY:?is set by bazel run}"
bazel="$source/bazelw"
cd "$source"
root="$("$bazel" info execution_root 2>/dev/null)"

# The command that compiles a definition, without its input and output.
"$bazel" aquery --output=text 'mnemonic("CppCompile", //ops_defs:core)' 2>/dev/null |
  awk '/core_gen\/abs\.cc/ && !seen { found = 1 }
       found && /Command Line: \(exec/ { on = 1; sub(/.*\(exec /, "") }
       on { print; if (/\)$/) { on = found = 0; seen = 1 } }' |
  tr -d "\\\\\n)'" | tr -s ' ' | sed -E "s/ -MD -MF [^ ]+//; s/ -c [^ ]+//; s/ -o [^ ]+//;
    s/ -frandom-seed=[^ ]+//; s/ -O2//" >"$work/compile"
echo >>"$work/compile"
read -r -a compile <"$work/compile"
((${#compile[@]} > 5)) || { echo "error: no compile command found" >&2; exit 70; }
compile+=(-iquote "$source" -O0 -fPIC -fno-gnu-unique)

core=(ops_defs/*.op) circle=(targets/circle/ops/*.op) layers=(targets/npu/layers/*.op)
vulkan=(targets/vulkan/ops/*.op) integers=(targets/circle/integers/*.op) npu=(targets/npu/ops/*.op)
"$mutants" "$count" "$seed" "$work/mutants" "${core[@]}" "${circle[@]}" "${layers[@]}" "${vulkan[@]}" \
  "${integers[@]}" "${npu[@]}"

# What every definition includes, once.
cat >"$work/all.h" <<'H'
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>
#include "codegen/support/domain.h"
#include "codegen/support/examples.h"
#include "codegen/support/kernel_io.h"
#include "codegen/support/signatures.h"
#include "codegen/support/term_support.h"
#include "ir/registry.h"
H
(cd "$root" && "${compile[@]}" -x c++-header -c "$work/all.h" -o "$work/all.h.gch")
[[ -s "$work/uses" ]] || "$runner" uses "${facts[@]}" >"$work/uses"

# generated FOLDER FILE.op PATH: all that opgen makes of the file that stands for PATH, as one source,
# and what it says of import and types beside all others.
generated() {
  local folder="$1" file="$2" path="$3" kind="$4" stem set=("${core[@]}")
  local others=("${circle[@]}" "${layers[@]}" "${vulkan[@]}")
  stem="$(basename "$path" .op)"
  [[ "$path" == ops_defs/* ]] || others=("${core[@]}")
  case "$path" in
    targets/circle/ops/*) set=("${circle[@]}") ;;
    targets/circle/integers/*) set=("${integers[@]}") ;;
    targets/npu/layers/*) set=("${layers[@]}") ;;
    targets/npu/ops/*) set=("${npu[@]}") ;;
    targets/vulkan/*) set=("${vulkan[@]}") ;;
  esac
  # The edited file stands where the other did: its externs lie beside it.
  local all=() each
  for each in "${set[@]}" "${others[@]}"; do
    [[ "$each" == "$path" ]] || all+=("$each")
  done
  # An edit of a family is one of all its members.
  local family edited=("$path")
  for family in $(sed -nE 's/^family (\w+)\(.*/\1/p' "$file"); do
    for each in $(grep -lE "^(op|builder) \w+ : $family\(" "${set[@]}"); do
      [[ " ${edited[*]} " == *" $each "* ]] || edited+=("$each")
    done
  done
  mkdir -p "$folder/tree/$(dirname "$path")" "$folder/made"
  cp "$file" "$folder/tree/$path"
  (
    cd "$folder/tree"
    for each in "${all[@]}" "${circle[@]}" "${integers[@]}"; do
      [[ -e "$source/$each" && ! -e "$each" ]] || continue
      mkdir -p "$(dirname "$each")"
      ln -sf "$source/$each" "$each"
    done
    # One clause is compiled with those of its file, and with nothing else of it.
    if [[ "$kind" == aten ]]; then
      "$opgen" aten Mutant 1 "$folder/made" "${edited[@]}" -- "${all[@]}" &&
        cat "$folder/made/aten_0.cc" "$folder/made/aten_index.cc" >"$folder/mutant.cc"
      exit
    elif [[ "$kind" == quantize ]]; then
      "$opgen" traits Mutant "$folder/made/traits.cc" "${edited[@]}" -- "${all[@]}" &&
        "$opgen" examples Mutant "$folder/made/examples.cc" "${edited[@]}" -- "${all[@]}" &&
        cat "$folder/made/traits.cc" "$folder/made/examples.cc" >"$folder/mutant.cc"
      exit
    fi
    mkdir -p targets/circle/testdata
    ln -sf "$source/targets/circle/testdata/runtime_types.txt" targets/circle/testdata/
    "$opgen" sources "$folder/made" "${edited[@]}" -- "${all[@]}" &&
      "$opgen" index Mutant "$folder/made/index.cc" "${edited[@]}" -- "${all[@]}" &&
      "$opgen" examples Mutant "$folder/made/examples.cc" "${edited[@]}" -- "${all[@]}" &&
      "$opgen" signatures Mutant "$folder/made/signatures.cc" "${edited[@]}" -- "${all[@]}" &&
      "$opgen" imports imports.tsv ops_defs/*.op &&
      "$opgen" types targets/circle/definition_types.tsv targets/circle/ops/*.op targets/circle/integers/*.op
  ) >"$folder/opgen.log" 2>&1 || return 1
  [[ -z "$kind" ]] || return 0
  local parts=()
  for each in "${edited[@]}"; do
    stem="$(basename "$each" .op)"
    parts+=("$folder/made/$stem.cc")
  done
  cat "${parts[@]}" "$folder/made/index.cc" "$folder/made/examples.cc" \
    "$folder/made/signatures.cc" >"$folder/mutant.cc"
}

judge() {
  local folder="$1" path file stem
  path="$(sed -n 2p "$folder/about")"
  local sort original
  sort="$(sed -n '1s/^aten$/aten/p;1s/^quantize$/quantize/p' "$folder/about")"
  stem="$(basename "$path" .op)"
  file="$folder/$stem.op"
  # What is there without the edit, once.
  original="$work/original/$(dirname "$path")/$stem.${sort:-all}"
  mkdir -p "$original"
  (
    flock 9
    [[ -s "$original/mutant.cc" ]] || generated "$original" "$source/$path" "$path" "$sort"
  ) 9>"$original/lock" || {
    cp "$original/opgen.log" "$folder/test.log"
    echo broken >"$folder/verdict"
    return
  }
  if ! generated "$folder" "$file" "$path" "$sort"; then
    echo opgen >"$folder/verdict"
    return
  fi
  # The same code but for lines that tests are named by.
  if cmp -s "$folder/mutant.cc" "$original/mutant.cc" &&
    { [[ -n "$sort" ]] || cmp -s "$folder/tree/imports.tsv" "$original/tree/imports.tsv"; }; then
    echo equivalent >"$folder/verdict"
    return
  fi
  if [[ -z "$sort" && "$path" == ops_defs/* ]] && ! "$deviations" check "$known" "${facts[@]:3:2}" "$defaults" "$folder/tree/imports.tsv" >"$folder/test.log" 2>&1; then
    echo tests >"$folder/verdict"
    return
  fi
  if ! (cd "$root" && "${compile[@]}" -I"$folder" -include "$work/all.h" -c "$folder/mutant.cc" \
    -o "$folder/mutant.o" >"$folder/compile.log" 2>&1); then
    echo compiler >"$folder/verdict"
    return
  fi
  g++ -shared -Wl,-Bsymbolic -o "$folder/mutant.so" "$folder/mutant.o" >>"$folder/compile.log" 2>&1
  local status=0
  (cd "$folder/tree" && TEST_USES="$work/uses" timeout 120 "$runner" "$folder/mutant.so" \
    "${facts[@]}") >"$folder/test.log" 2>&1 || status=$?
  rm -f "$folder/mutant.so" "$folder/mutant.o"
  case "$status" in
    0) echo survived >"$folder/verdict" ;;
    2) echo broken >"$folder/verdict" ;;
    *) echo tests >"$folder/verdict" ;;
  esac
}
for folder in $(find "$work/mutants" -mindepth 1 -maxdepth 1 -type d | sort -V); do
  [[ -s "$folder/verdict" ]] && continue
  [[ -z "$kind" || "$(head -1 "$folder/about")" == "$kind" ]] || continue
  while (($(jobs -rp | wc -l) >= 2)); do wait -n || true; done
  judge "$folder" &
done
wait

# caught / those that change something, per kind.
for folder in $(find "$work/mutants" -mindepth 1 -maxdepth 1 -type d | sort -V); do
  [[ -s "$folder/verdict" ]] || continue
  echo "$(head -1 "$folder/about") $(cat "$folder/verdict")"
done | awk '
  { tried[$1]++; verdict[$1, $2]++; all[$2]++; total++ }
  END {
    printf "0%-15s %6s %6s %9s %6s %9s %11s %6s\n", "kind", "tried", "opgen", "compiler", "tests", "survived", "equivalent", "caught"
    for (kind in tried) row(1, kind, tried[kind], verdict[kind, "opgen"], verdict[kind, "compiler"], verdict[kind, "tests"], verdict[kind, "survived"], verdict[kind, "equivalent"])
    row(2, "all", total, all["opgen"], all["compiler"], all["tests"], all["survived"], all["equivalent"])
  }
  function row(order, name, tried, opgen, compiler, tests, survived, equivalent) {
    caught = opgen + compiler + tests
    printf "%d%-15s %6d %6d %9d %6d %9d %11d %5.1f%%\n", order, name, tried, opgen, compiler, tests, survived, equivalent, 100 * caught / (caught + survived > 0 ? caught + survived : 1)
  }' | sort | cut -c2-
echo
for folder in $(find "$work/mutants" -mindepth 1 -maxdepth 1 -type d | sort -V); do
  [[ "$(cat "$folder/verdict" 2>/dev/null)" == survived ]] && echo "survived: $(sed -n '1p;3,$p' "$folder/about" | tr '\n' ' ')"
  [[ "$(cat "$folder/verdict" 2>/dev/null)" == broken ]] && echo "not judged: $(sed -n '1p;3,$p' "$folder/about" | tr '\n' ' '): $(tail -1 "$folder/test.log")"
done
exit 0
