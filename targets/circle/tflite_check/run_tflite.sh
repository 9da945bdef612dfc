#!/bin/bash
# See run_tflite.py.
set -euo pipefail
for runfiles in "$0.runfiles" "${RUNFILES_DIR:-}" "${TEST_SRCDIR:-}"; do
  if [[ -x "$runfiles/pypi/python" ]]; then
    export RUNFILES_DIR="$runfiles"
    exec "$runfiles/pypi/python" \
      "$runfiles/tessera/targets/circle/tflite_check/run_tflite.py" "$@"
  fi
done
echo "\`pypi/python\` is not among the runfiles of \`$0\`" >&2
exit 127
