#!/bin/bash
# Starts Python 3.11 with the wheels that were unpacked beside this script.
set -euo pipefail
for runfiles in "$0.runfiles" "${RUNFILES_DIR:-}" "${0%/*/*}"; do
  packages="$runfiles/pypi/site-packages"
  if [[ -d "$packages" ]]; then
    # No packages of the user, no byte code written beside the sources.
    PYTHONPATH="$packages" exec /usr/bin/python3.11 -s -B "$@"
  fi
done
echo "\`pypi/site-packages\` is not among the runfiles of \`$0\`" >&2
exit 127
