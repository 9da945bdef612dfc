#!/bin/bash
# unpack.sh LOCK PIP: unpacks the wheels that LOCK lists into ./site-packages. Each wheel comes from
# the cache or from where the machine's settings let pip (the wheel PIP) find it, and counts only
# with the digest that the lock states.
set -euo pipefail
export LC_ALL=C
lock="$1"
pip="$2"
python=/usr/bin/python3.11
wheels="${XDG_CACHE_HOME:-${HOME:?neither XDG_CACHE_HOME nor HOME is set}/.cache}/tessera/wheels"
mkdir -p "$wheels"

die() {
  printf '%s\n' "$@" >&2
  exit 1
}

[[ "$(uname -m)" == x86_64 ]] || die "${lock##*/} is for x86_64, this machine is $(uname -m)"
[[ -x "$python" ]] || die "\`$python\` is not there; install it: apt-get install python3.11"

digests=() missing=()
while read -r wheel option; do
  digest="${option#--hash=sha256:}"
  [[ "$digest" =~ ^[0-9a-f]{64}$ ]] || die "${lock##*/}: no SHA-256 for \`$wheel\`"
  digests+=("$digest")
  [[ -f "$wheels/$digest" ]] || missing+=("$wheel $option")
done < <(grep -v '^#' "$lock")

if [[ ${#missing[@]} -gt 0 ]]; then
  rm -rf download && mkdir download
  printf '%s\n' "${missing[@]}" >download/requirements
  # With --require-hashes, pip refuses a file of another digest.
  PYTHONPATH="$pip" "$python" -s -m pip download --quiet --disable-pip-version-check --no-deps \
    --only-binary=:all: --require-hashes --dest download --requirement download/requirements \
    >download/log 2>&1 || die "pip could not fetch ${missing[*]%% *}:" "$(cat download/log)"
  for file in download/*.whl; do
    found="$(sha256sum "$file" | cut -d' ' -f1)"
    mv -f "$file" "$wheels/.$found.$$" && mv -f "$wheels/.$found.$$" "$wheels/$found"
  done
  rm -rf download
fi

for digest in "${digests[@]}"; do
  [[ -f "$wheels/$digest" ]] || die "pip fetched no wheel of SHA-256 $digest"
  [[ "$(sha256sum "$wheels/$digest" | cut -d' ' -f1)" == "$digest" ]] || {
    rm -f "$wheels/$digest"
    die "the cached wheel $digest was damaged, and is removed; try again"
  }
  "$python" -m zipfile --extract "$wheels/$digest" site-packages
done
# Half of the files, and Bazel packages of others.
find site-packages -type d -name tests -prune -exec rm -r {} +
find site-packages \( -name '*.pyi' -o -name BUILD -o -name BUILD.bazel \) -delete
