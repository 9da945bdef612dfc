#!/bin/bash
# Rewrites packages.lock: the packages of packages.list and all that they depend on, at the versions
# that the machine's package sources offer today.
set -euo pipefail
export LC_ALL=C
cd "${BUILD_WORKSPACE_DIRECTORY:?run it as \`bazel run //third_party/debian:update\`}/third_party/debian"
source apt_lists.sh

refresh_private_lists
# A point release stays on offer until the next one, a security update only until its successor.
release="$(. /etc/os-release && echo "$VERSION_CODENAME")"
# What happens to be installed here must not sway the choice.
apt=("${PRIVATE_LISTS[@]}" -o "APT::Default-Release=$release" -o Dir::State::status=/dev/null)

wanted="$(grep -v -e '^#' -e '^$' packages.list)"
roots="$(awk '$1 != "machine" {print $2}' <<<"$wanted" | sort -u)"
# shellcheck disable=SC2086
graph="$(apt-cache "${apt[@]}" depends --recurse --no-recommends --no-suggests --no-conflicts \
  --no-breaks --no-replaces --no-enhances $roots)"

# Breadth first from each repository's packages, not through what the machine has. Of alternatives
# (marked by a bar) the first counts; virtual packages (in angle brackets) have no file.
closure="$(awk '
  FNR == NR {
    if ($1 == "machine") machine[$2] = 1; else { queue[n++] = $1 " " $2 }
    next
  }
  /^[^ ]/ { package = $1; skip = 0; next }
  /Depends:/ {
    alternative = /^ *\|/
    if (!skip && $2 !~ /^</) needs[package] = needs[package] " " $2
    skip = alternative
  }
  END {
    for (i = 0; i < n; ++i) {
      split(queue[i], item, " ")
      if (seen[queue[i]]++) continue
      print queue[i]
      count = split(needs[item[2]], list, " ")
      for (k = 1; k <= count; ++k) {
        if (!(list[k] in machine)) queue[n++] = item[1] " " list[k]
      }
    }
  }' <(echo "$wanted") <(echo "$graph") | sort -u)"

# shellcheck disable=SC2046
facts="$(apt-cache "${apt[@]}" show --no-all-versions $(cut -d' ' -f2 <<<"$closure" | sort -u) |
  awk '
    /^Package:/ { package = $2 }
    /^Version:/ { version = $2 }
    /^SHA256:/ { print package, version, $2 }')"

new="$(mktemp packages.lock.XXXXXX)"
trap 'rm -f "$new"' EXIT
{
  echo "# Written by \`bazel run //third_party/debian:update\` from packages.list. Do not edit."
  echo "# repository package version sha256"
  awk '
    FNR == NR { fact[$1] = $2 " " $3; next }
    !($2 in fact) { print "no package " $2 " is on offer" >"/dev/stderr"; exit 1 }
    { print $1, $2, fact[$2] }' <(echo "$facts") <(echo "$closure")
} >"$new"
chmod 644 "$new"
if cmp -s "$new" packages.lock; then
  echo "packages.lock is up to date"
else
  diff <(grep -v '^#' packages.lock 2>/dev/null) <(grep -v '^#' "$new") | grep '^[<>]' || true
  mv "$new" packages.lock
fi
