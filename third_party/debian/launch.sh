#!/bin/bash
# Starts the program of @debian, or another such repository, that has this script's name, with the
# libraries that were unpacked beside it.
set -euo pipefail
name="$(basename "$0")"
for runfiles in "$0.runfiles" "${RUNFILES_DIR:-}" "${0%/*/*}"; do
  for root in "$runfiles"/debian*/; do
    if [[ -x "${root}usr/bin/$name" ]]; then
      export LD_LIBRARY_PATH="${root}usr/lib/x86_64-linux-gnu:${root}lib/x86_64-linux-gnu"
      exec "${root}usr/bin/$name" "$@"
    fi
  done
done
echo "\`$name\` is not among the runfiles of \`$0\`" >&2
exit 127
