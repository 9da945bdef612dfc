#!/bin/bash
# unpack.sh LOCK REPOSITORY: unpacks into the current directory the packages that LOCK lists for
# REPOSITORY. Each .deb comes from the cache or from the machine's package sources, and counts only
# with the digest that the lock states.
set -euo pipefail
export LC_ALL=C
lock="$1"
repository="$2"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

die() {
  printf '%s\n' "$@" >&2
  exit 1
}

[[ "$(uname -m)" == x86_64 ]] || die "packages.lock is for x86_64, this machine is $(uname -m)"
for tool in apt-get apt-cache dpkg-deb sha256sum; do
  command -v "$tool" >/dev/null || die "\`$tool\` is not there: the lock is of Debian packages"
done
source "$here/apt_lists.sh"
debs="$TESSERA_CACHE/debs"
mkdir -p "$debs"

packages=() missing=()
declare -A digest
while read -r owner package version sha256; do
  [[ "$owner" == "$repository" ]] || continue
  packages+=("$package=$version")
  digest["$package=$version"]="$sha256"
  [[ -f "$debs/$sha256" ]] || missing+=("$package=$version")
done < <(grep -v '^#' "$lock")
[[ ${#packages[@]} -gt 0 ]] || die "packages.lock lists nothing for @$repository"

# download OPTION...: fetches all that is missing and moves into the cache what has its digest.
download() {
  rm -rf download && mkdir download
  (cd download && apt-get "$@" -qq download "${missing[@]}") >download.log 2>&1 || return 1
  local each deb found
  for each in "${missing[@]}"; do
    # The file's name holds the version without its epoch, and a colon would be written as %3a.
    deb="download/${each%%=*}_"*.deb
    # shellcheck disable=SC2086
    found="$(sha256sum $deb | cut -d' ' -f1)"
    [[ "$found" == "${digest[$each]}" ]] || die \
      "$each has SHA-256 $found; packages.lock says ${digest[$each]}"
    # shellcheck disable=SC2086
    mv -f $deb "$debs/.$found.$$" && mv -f "$debs/.$found.$$" "$debs/$found"
  done
}

if [[ ${#missing[@]} -gt 0 ]]; then
  if ! download; then
    refresh_private_lists || die "the machine's package sources cannot be read"
    gone=()
    for each in "${missing[@]}"; do
      apt-cache "${PRIVATE_LISTS[@]}" madison "${each%%=*}" |
        awk -v version="${each#*=}" '$3 == version {found = 1} END {exit !found}' || gone+=("$each")
    done
    [[ ${#gone[@]} -eq 0 ]] || die \
      "no longer on offer: ${gone[*]}" \
      "run \`bazel run //third_party/debian:update\`, which rewrites packages.lock, and try again"
    download "${PRIVATE_LISTS[@]}" || die "$(cat download.log)"
  fi
  rm -rf download download.log
fi

for each in "${packages[@]}"; do
  deb="$debs/${digest[$each]}"
  sha256sum --check --status <<<"${digest[$each]}  $deb" || {
    rm -f "$deb"
    die "the cached file of $each was damaged, and is removed; try again"
  }
  dpkg-deb --extract "$deb" .
done

# Bazel packages, and what no target uses. Of the documents licences stay.
find . \( -name BUILD -o -name BUILD.bazel -o -name WORKSPACE \) -delete
rm -rf etc var usr/share/{bash-completion,lintian,man} usr/src usr/lib/python3
[[ ! -d usr/share/doc ]] || find usr/share/doc -type f ! -name copyright -delete

# Linker scripts (libc.so, libm.so) and links must not lead to the machine's own libraries: a bare
# name is found in the directories that the toolchain passes, a relative link stays in the tree.
{ grep -rlI 'GNU ld script' usr/lib || true; } | while read -r script; do
  sed -i -E 's,(/usr)?/lib(64|/x86_64-linux-gnu)?/,,g' "$script"
done
find . -type l -lname '/*' | while read -r link; do
  ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" ".$(readlink "$link")")" "$link"
done

# Bazel takes a directory for changed when its time of modification is another one: derive it from
# the packages' digests.
seconds=$((16#$(printf '%s\n' "${digest[@]}" | LC_ALL=C sort | sha256sum | cut -c1-7)))
find . -type d -exec touch -d "@$seconds" {} +
