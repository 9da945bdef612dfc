#!/bin/bash
# layering.sh AWK TABLE GRAPH: says which dependencies go against the table, and which packages of
# its rooms the graph leaves out.
set -euo pipefail
source build_rules/source_tree.sh
awk="$PWD/$1" table="$PWD/$2" graph="$PWD/$3"
enter_source_tree

# Whether a BUILD file has a library for more than tests.
has_library() {
  awk '/^ *cc_library\(/ {inside = 1; tests = 0}
       inside && /testonly = True/ {tests = 1}
       inside && /^ *\)/ {found = found || !tests; inside = 0}
       END {exit !found}' "$1"
}

good=1
awk -f "$awk" "$table" "$graph" | sort || good=0
while read -r room; do
  [[ -d "$room" ]] || { echo "\`$room\` is no folder" && good=0; continue; }
  while IFS= read -r -d '' build; do
    package="${build%/BUILD}"
    if has_library "$build" && ! grep -q "\"//$package:" "$graph"; then
      echo "//$package is in no root's dependencies: add one that reaches it"
      good=0
    fi
  done < <(find "$room" -name BUILD -print0)
done < <(awk '$1 == "sees" {print $2}' "$table" | sort -u)

[[ "$good" == 1 ]] && exit
echo
echo "each room may depend on what build_rules/BUILD lists for it: move the code, or argue for a new"
echo "entry there and in the page that describes the rooms"
exit 1
