# What tests of the tools expect of a command. Its output is in out.txt and err.txt.
fail() {
  echo "FAILED: $*"
  cat out.txt err.txt 2>/dev/null
  exit 1
}
# `expect CODE TEXT COMMAND...`: the exit code, and something that is said.
expect() {
  local code="$1" text="$2"
  shift 2
  "$@" >out.txt 2>err.txt
  local got=$?
  [[ $got == "$code" ]] || fail "exit code $got instead of $code: $*"
  # Not -q, which leaves before all is written, and makes the pipe fail.
  cat out.txt err.txt | grep -F -- "$text" >/dev/null || fail "no '$text': $*"
}
