#!/bin/bash
# Clang of @debian_clang, with the libraries that were unpacked beside it.
set -euo pipefail
root=external/debian_clang
export LD_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu"
exec "$root/usr/lib/llvm-16/bin/clang" "$@"
