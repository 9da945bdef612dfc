#!/bin/bash
# wheelhouse.sh LOCK PIP: puts the wheels that LOCK lists, as they are, into ./wheels, under their
# own names: where pip installs from without a network. Each comes from the cache or from where the
# machine's settings let pip (the wheel PIP) find it, and counts only with the lock's digest.
set -euo pipefail
export LC_ALL=C
lock="$1"
pip="$2"
python=/usr/bin/python3.11
cache="${XDG_CACHE_HOME:-${HOME:?neither XDG_CACHE_HOME nor HOME is set}/.cache}/tessera/wheels"
mkdir -p "$cache" wheels

die() {
  printf '%s\n' "$@" >&2
  exit 1
}

[[ "$(uname -m)" == x86_64 ]] || die "${lock##*/} is for x86_64, this machine is $(uname -m)"
[[ -x "$python" ]] || die "\`$python\` is not there; install it: apt-get install python3.11"

while read -r wheel option; do
  digest="${option#--hash=sha256:}"
  [[ "$digest" =~ ^[0-9a-f]{64}$ ]] || die "${lock##*/}: no SHA-256 for \`$wheel\`"
  # A folder for each digest: the wheel's own name is part of what pip reads.
  if ! compgen -G "$cache/named/$digest/*.whl" >/dev/null; then
    rm -rf download && mkdir download
    echo "$wheel $option" >download/requirements
    PYTHONPATH="$pip" "$python" -s -m pip download --quiet --disable-pip-version-check --no-deps \
      --only-binary=:all: --require-hashes --dest download --requirement download/requirements \
      >download/log 2>&1 || die "pip could not fetch $wheel:" "$(cat download/log)"
    mkdir -p "$cache/named/$digest"
    mv -f download/*.whl "$cache/named/$digest/"
    rm -rf download
  fi
  for file in "$cache/named/$digest/"*.whl; do
    [[ "$(sha256sum "$file" | cut -d' ' -f1)" == "$digest" ]] || {
      rm -rf "$cache/named/$digest"
      die "the cached wheel $wheel was damaged, and is removed; try again"
    }
    cp "$file" wheels/
  done
done < <(grep -v '^#' "$lock")
