# Sourced by the checks that look at the sources themselves, whose tests are therefore `local`.

# Goes to the root of the source tree: under `bazel run` Bazel names it, under `bazel test` a data
# file leads there.
enter_source_tree() {
  cd "${BUILD_WORKSPACE_DIRECTORY:-$(dirname "$(readlink -f WORKSPACE)")}"
}

# source_files PATTERN...: the files of the tree whose names match, sorted, each ended by a null.
source_files() {
  local names=()
  for pattern in "$@"; do names+=(-o -name "$pattern"); done
  find . \( -name '.?*' -o -path './bazel-*' \) -not -name .bazelrc -prune \
    -o -type f \( "${names[@]:1}" \) -print0 | LC_ALL=C sort -z
}
