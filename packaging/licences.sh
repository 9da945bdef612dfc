#!/bin/bash
# licences.sh LICENCES LOCK TEXT...: what others wrote of what is packed, with the versions that the
# lock says, and in full what each is licensed under. TEXT are the files `copyright` of the packages,
# and the licences that those refer to by `/usr/share/common-licenses/NAME`.
set -euo pipefail
export LC_ALL=C
licences="$1" lock="$2"
shift 2

declare -A said common asked
for text in "$@"; do
  case "$text" in
    */common-licenses/*) common["${text##*/}"]="$text" ;;
    */copyright) text="${text%/copyright}" said["${text##*/}"]="$text/copyright" ;;
  esac
done
die() { echo "licences.txt: $*" >&2; exit 1; }
heading() { printf '\n%s\n%s\n%s\n\n' "${1//?/=}" "$1" "${1//?/=}"; }

echo "Tessera contains, or brings along, these works of others, as Debian 12 packages them."
echo "What they say of their copyright holders and licences follows behind the list, and behind that"
echo "the licences to which it refers."
packages=()
while IFS='|' read -r name package licence how; do
  package="${package// /}"
  version="$(awk -v package="$package" '$2 == package { print $3; exit }' "$lock")"
  [[ -n "$version" ]] || die "the lock has no package \`$package\`"
  [[ -n "${said[$package]-}" ]] || die "there is no licence of \`$package\`: add it to @debian_licences"
  packages+=("$package")
  printf '\n%s\n  package: %s %s\n  licence:%s\n  here:%s\n' \
    "${name% }" "$package" "$version" "${licence% }" "$how"
done < <(grep -v '^#' "$licences")

while read -r package; do
  heading "$package"
  cat "${said[$package]}"
  for name in $(grep -oE '/usr/share/common-licenses/[A-Za-z0-9.+-]+' "${said[$package]}" || true); do
    name="${name##*/}"
    asked["${name%.}"]="$package"
  done
done < <(printf '%s\n' "${packages[@]}" | sort -u)

while read -r name; do
  [[ -n "${common[$name]-}" ]] || die "\`${asked[$name]}\` refers to \`$name\`, which is not there"
  heading "/usr/share/common-licenses/$name"
  cat "${common[$name]}"
done < <(printf '%s\n' "${!asked[@]}" | sort)
