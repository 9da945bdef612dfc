#!/bin/bash
# update.sh PROGRAM update ARGUMENT... [-- PROGRAM update ARGUMENT...]...: rewrites every golden in the workspace. What changed is for a review to judge.
set -euo pipefail
command=()
for word in "$@" --; do
  if [[ "$word" != -- ]]; then
    command+=("$word")
    continue
  fi
  echo "${command[0]}"
  "./${command[0]}" "${command[@]:1}"
  command=()
done
