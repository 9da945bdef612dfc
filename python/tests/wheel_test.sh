#!/bin/bash
# wheel_test.sh WHEEL PIP WHEELS MODELS TEST...: installs the wheel into a bare environment, by pip
# without a network, asks auditwheel for which systems it is, and runs each TEST there. WHEELS is a folder with what the wheel depends on;
# MODELS are NAME=PATH, which tests see as TESSERA_NAME.
set -euo pipefail
export LC_ALL=C
wheel="$PWD/$1" pip="$PWD/$2" wheels="$PWD/$3"
shift 3

environment=(PATH=/usr/bin:/bin LC_ALL=C.UTF-8 HOME="$TEST_TMPDIR" PYTHONDONTWRITEBYTECODE=1)
while [[ "${1-}" == *=* ]]; do
  environment+=("TESSERA_${1%%=*}=$PWD/${1#*=}")
  shift
done
tests=()
for test in "$@"; do tests+=("$PWD/$test"); done

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

cd "$TEST_TMPDIR"
/usr/bin/python3.11 -I -m venv --without-pip venv
python="$TEST_TMPDIR/venv/bin/python"
bare() { env -i "${environment[@]}" "$@"; }
bare PYTHONPATH="$pip" "$python" -m pip install --quiet --disable-pip-version-check --no-index \
  --find-links "$wheels" "$wheel" auditwheel mypy || fail "pip does not install $wheel"

# Of the libraries only those that every system has come from outside.
for file in venv/lib/python3.11/site-packages/tessera/{_native*.so,bin/*}; do
  outside="$(bare ldd "$file" | grep -v "=> $TEST_TMPDIR/" | awk '{ print $1 }' |
    grep -vE '^(linux-vdso|libc|libm|libgcc_s|libstdc\+\+|/lib64/ld-linux-x86-64)\.so\.[0-9]+$' || true)"
  [[ -z "$outside" ]] || fail "$file needs $outside"
done

# What others say that it runs on is what its name says.
tag="${wheel##*-}"
tag="${tag%.whl}"
said="$(bare "$python" -m auditwheel show "$wheel" 2>&1)" || fail "auditwheel: $said"
[[ "$(tr '\n' ' ' <<<"$said")" == *"is consistent with the following platform tag: \"$tag\"."* ]] ||
  fail "auditwheel does not find $tag: $said"

mkdir work
cd work
for test in "${tests[@]}"; do
  bare "$python" "$test" || fail "$(basename "$test")"
done
