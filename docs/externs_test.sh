#!/bin/bash
# externs_test.sh op-language.md FILE.op...: the ops whose `ref` is C++ are those that the manual says why of.
set -euo pipefail
manual="$1"
shift
defined="$(awk '
  /^(op|builder) / { name = $2 }
  /^ *ref extern / { print name }' "$@" | sort)"
listed="$(sed -n '/^### What stays `ref extern`/,/^##* [^#]*$/s/^- `\([A-Za-z_]*\)`: .*/\1/p' "$manual" | sort)"
(($# > 100)) || { echo "only $# definitions" >&2; exit 1; }
diff <(echo "$listed") <(echo "$defined") || {
  echo "< as the manual says, > as the definitions do" >&2
  exit 1
}
