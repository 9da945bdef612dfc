#!/bin/bash
# Whether an op is known by its name outside its definition: what a pass or a target has to know of
# an op is a fact in its definition (a role, a code, a `permute` clause), which it asks for.
set -euo pipefail
source build_rules/source_tree.sh
awk="$PWD/build_rules/op_names.awk"
enter_source_tree
source_files '*.op' builtin.cc '*.cc' '*.h' '*.bzl' '*.sh' '*.py' | xargs -0 awk -f "$awk"
