#!/bin/bash
# modes_test.sh OPT DBG ASAN UBSAN TSAN: a program in each mode that users and developers build in.
# Release and debug do what they say of assertions; each sanitizer lets what is right pass, and ends
# what has the defect that it is for.
set -uo pipefail
opt="$1" dbg="$2"
failed=0

expect() {  # expect TEXT COMMAND...: ends with 0 and says TEXT
  local text="$1" said
  shift
  said="$("$@" 2>&1)" && [[ "$said" == *"$text"* ]] && return
  echo "$*: expected \`$text\`, not: $said"
  failed=1
}

expect_report() {  # expect_report TEXT COMMAND...: ends otherwise, with a report that has TEXT
  local text="$1" said
  shift
  said="$("$@" 2>&1)" || { [[ "$said" == *"$text"* ]] && return; }
  echo "$*: expected a report with \`$text\`, not: $said"
  failed=1
}

expect "assertions off" "$opt"
expect "assertions on" "$dbg"
for sanitized in "$3" "$4" "$5"; do expect "assertions on, result 0" "$sanitized"; done
expect_report "heap-buffer-overflow" "$3" outside
expect_report "signed integer overflow" "$4" overflow
expect_report "data race" "$5" race
exit "$failed"
