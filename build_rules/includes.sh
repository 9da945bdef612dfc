#!/bin/bash
# Whether each source includes what it uses of the C++ library and of abseil: includes.awk.
set -euo pipefail
source build_rules/source_tree.sh
awk="$PWD/build_rules/includes.awk"
enter_source_tree
source_files '*.cc' '*.h' | xargs -0 -n 100000 -x awk -f "$awk"
