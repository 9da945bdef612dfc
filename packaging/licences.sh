#!/bin/bash
# licences.sh LICENCES LOCK: what others wrote of what is packed, with the versions that the lock says.
set -euo pipefail
licences="$1" lock="$2"
echo "Tessera contains, or brings along, these works of others, as Debian 12 packages them."
echo "Their copyright holders and the full texts of their licences are in the packages named here"
echo "(/usr/share/doc/PACKAGE/copyright), and in /usr/share/common-licenses."
while IFS='|' read -r name package licence how; do
  package="${package// /}"
  version="$(awk -v package="$package" '$2 == package { print $3; exit }' "$lock")"
  [[ -n "$version" ]] || { echo "licences.txt: the lock has no package \`$package\`" >&2; exit 1; }
  printf '\n%s\n  package: %s %s\n  licence:%s\n  here:%s\n' \
    "${name% }" "$package" "$version" "${licence% }" "$how"
done < <(grep -v '^#' "$licences")
