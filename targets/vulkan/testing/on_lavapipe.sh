#!/bin/bash
# on_lavapipe.sh PROGRAM ARGUMENT...: runs a program with a Vulkan driver that computes on the CPU.
set -euo pipefail
[[ $# -gt 0 ]] || {
  echo "usage: on_lavapipe PROGRAM ARGUMENT..." >&2
  exit 2
}
for runfiles in "$0.runfiles" "${RUNFILES_DIR:-}" ..; do
  [[ -d "$runfiles/debian_lavapipe" ]] && driver="$(cd "$runfiles/debian_lavapipe" && pwd)" && break
done
export VK_ICD_FILENAMES="${driver:?the driver is not among the runfiles of $0}/usr/share/vulkan/icd.d/lavapipe.json"
export LD_LIBRARY_PATH="$driver/usr/lib/x86_64-linux-gnu:$driver/lib/x86_64-linux-gnu"
# A program of the user's is named as from where the user stands.
[[ -e "$1" ]] || cd "${BUILD_WORKING_DIRECTORY:-.}"
exec "$(realpath -s "$1")" "${@:2}"
