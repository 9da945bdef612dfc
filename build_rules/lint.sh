#!/bin/bash
# Whether Bazel files are as buildifier would leave them, as far as lint.awk knows, and no text file
# has blanks at the ends of its lines.
set -euo pipefail
source build_rules/source_tree.sh
awk="$PWD/build_rules/lint.awk"
enter_source_tree
source_files BUILD '*.BUILD' '*.bzl' WORKSPACE .bazelrc '*.sh' '*.op' | xargs -0 awk -f "$awk"
