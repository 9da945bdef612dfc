#!/bin/bash
# install_test.sh DEB TAR MODEL: what the packages hold works where nothing of the build is.
set -euo pipefail
export LC_ALL=C
deb="$PWD/$1" tar="$PWD/$2" model="$PWD/$3"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# Nothing of this test's surroundings, from a folder of its own.
bare() { env -i PATH=/usr/bin:/bin LC_ALL=C "$@"; }
expect() { # EXIT_CODE TEXT COMMAND...: the text is in what it says
  local wanted="$1" text="$2" code=0 said
  shift 2
  said="$(bare "$@" 2>&1)" || code=$?
  [[ "$code" == "$wanted" && "$said" == *"$text"* ]] ||
    fail "$*: exit code $code, said: $said; wanted: $wanted, $text"
}

mkdir -p "$TEST_TMPDIR/deb" "$TEST_TMPDIR/work"
cd "$TEST_TMPDIR/deb"
ar x "$deb"
[[ "$(<debian-binary)" == 2.0 ]] || fail "the package's format"
mkdir control root
tar -xzf control.tar.gz -C control
tar -xzf data.tar.gz -C root
grep -q '^Package: tessera$' control/control || fail "no name: $(<control/control)"
mkdir archive
tar -xzf "$tar" -C archive
diff -r root/usr archive/tessera-* || fail "package and archive differ"

cd "$TEST_TMPDIR/work"
tessera="$TEST_TMPDIR/deb/root/usr/bin/tessera"
cp "$model" model.onnx
expect 0 'tessera 0.' "$tessera" --version
expect 0 'Usage: tessera COMMAND' "$tessera" --help
expect 2 'Usage: tessera COMMAND' "$tessera"
expect 2 'did you mean `compile`?' "$tessera" compil model.onnx
expect 0 'Usage: tessera compile MODEL' "$tessera" compile --help
expect 0 'wrote model.circle and model.circle.cert.json' "$tessera" compile model.onnx
expect 0 '' "$tessera" run model.onnx --input input=random:1:1x3x16x16 --output-dir out
expect 0 '' "$tessera" verify model.onnx --dim H=16 --dim W=16
expect 0 '' "$tessera" inspect model.circle
# By the solver that came along.
expect 0 '(cvc5 ' "$tessera" prove --check model.circle.cert.json --model model.onnx
expect 1 'nothing.onnx' "$tessera" compile nothing.onnx

# Of the libraries only those that every system has come from outside.
for program in "$TEST_TMPDIR"/deb/root/usr/lib/tessera/bin/*; do
  outside="$(bare LD_LIBRARY_PATH="$TEST_TMPDIR/deb/root/usr/lib/tessera/lib" ldd "$program" |
    grep -v "=> $TEST_TMPDIR/" | awk '{ print $1 }' |
    grep -vE '^(linux-vdso|libc|libm|libgcc_s|libstdc\+\+|/lib64/ld-linux-x86-64)\.so\.[0-9]+$' || true)"
  [[ -z "$outside" ]] || fail "$program needs $outside"
done

# Licences in full.
licences="$(<"$TEST_TMPDIR/deb/root/usr/share/doc/tessera/copyright")"
for phrase in 'package: cvc5 ' 'GNU GENERAL PUBLIC LICENSE' 'Apache License'; do
  [[ "$licences" == *"$phrase"* ]] || fail "no \`$phrase\` in the licences"
done

for page in "$TEST_TMPDIR"/deb/root/usr/share/man/man1/tessera{,-compile,-prove}.1.gz; do
  [[ "$(zcat "$page" | head -n 1)" == .TH* ]] || fail "$page is no manual page"
done

# shellcheck disable=SC1091
source "$TEST_TMPDIR/deb/root/usr/share/bash-completion/completions/tessera"
complete_as() { # WORD...: what the last one may become
  COMP_WORDS=(tessera "$@") COMP_CWORD=$# COMPREPLY=()
  _tessera 2>/dev/null
  echo "${COMPREPLY[*]-}"
}
[[ "$(complete_as ver)" == verify ]] || fail "\`ver\` becomes $(complete_as ver)"
[[ "$(complete_as compile --strict-d)" == --strict-dims ]] ||
  fail "\`--strict-d\` becomes $(complete_as compile --strict-d)"
