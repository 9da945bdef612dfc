#!/bin/bash
# pack.sh VERSION AR PROGRAM STRIPPED SOLVER LICENCES ARCHIVE DEB LIBRARY...: what is installed, as
# an archive of a folder and as a Debian package, which have the same files. PROGRAM is run for its
# manual pages and flags; STRIPPED is the same without symbols, and is what is packed.
set -euo pipefail
export LC_ALL=C
version="$1" ar="$2" program="$3" stripped="$4" solver="$5" licences="$6" archive="$7" deb="$8"
shift 8

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
root="$work/data/usr"
own="$root/lib/tessera"
mkdir -p "$root/bin" "$own/bin" "$own/lib" "$root/share/man/man1" \
  "$root/share/bash-completion/completions" "$root/share/doc/tessera"

install -m 755 "$stripped" "$own/bin/tessera"
install -m 755 "$solver" "$own/bin/cvc5"
for library in "$@"; do install -m 644 "$library" "$own/lib/$(basename "$library")"; done
ln -s ../lib/tessera/bin/tessera "$root/bin/tessera"
install -m 644 "$licences" "$root/share/doc/tessera/copyright"

mapfile -t commands < <("$program" --commands)
page() { gzip -n9 >"$root/share/man/man1/$1.1.gz"; }
"$program" --help=man | page tessera
for command in "${commands[@]}"; do "$program" "$command" --help=man | page "tessera-$command"; done

{
  echo '# Completes the commands of `tessera`, their flags, and files.'
  echo '_tessera() {'
  echo '  local word="${COMP_WORDS[COMP_CWORD]}" words'
  echo '  if ((COMP_CWORD == 1)); then'
  echo "    words='${commands[*]} --help --version'"
  echo '  else'
  echo '    case "${COMP_WORDS[1]}" in'
  for command in "${commands[@]}"; do
    echo "      $command) words='$("$program" "$command" --help=flags | tr '\n' ' ')' ;;"
  done
  echo "      *) words='' ;;"
  echo '    esac'
  echo '  fi'
  echo '  COMPREPLY=()'
  echo '  if ((COMP_CWORD == 1)) || [[ "$word" == -* ]]; then'
  echo '    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")'
  echo '    [[ "${COMPREPLY[*]-}" == *= ]] && compopt -o nospace'
  echo '  else'
  echo '    compopt -o default'
  echo '  fi'
  echo '}'
  echo 'complete -F _tessera tessera'
} >"$root/share/bash-completion/completions/tessera"

# Neither times nor owners of this machine.
pack() {
  tar --create --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=gnu "$@" |
    gzip -n
}
find "$work/data" -type d -exec chmod 755 {} +
pack --directory="$work/data" --transform="s,^\./usr,tessera-$version,S" ./usr >"$archive"

mkdir "$work/control"
cat >"$work/control/control" <<END
Package: tessera
Version: $version
Architecture: amd64
Maintainer: The Tessera authors
Installed-Size: $(du -sk --apparent-size "$work/data" | cut -f1)
Depends: libc6 (>= 2.34), libgcc-s1, libstdc++6 (>= 12)
Section: science
Priority: optional
Description: ahead-of-time compiler of neural networks
 Compiles ONNX networks for phones, NPUs and GPUs, with certificates of what
 was proved of their shapes.
END
pack --directory="$work/control" . >"$work/control.tar.gz"
pack --directory="$work/data" . >"$work/data.tar.gz"
echo 2.0 >"$work/debian-binary"
rm -f "$deb"
(cd "$work" && "$ar" qcD package.deb debian-binary control.tar.gz data.tar.gz)
mv "$work/package.deb" "$deb"
