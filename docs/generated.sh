#!/bin/bash
# generated.sh check|update: whether the generated documents agree with what they are generated
# from, or makes them so. The support table is the part of README.md between two marks; the tables of
# devices and of segments are such parts of docs/npu.md.
set -euo pipefail
readonly begin='<!-- support table: generated, see docs/BUILD -->' end='<!-- end of the support table -->'

# with_table README: the file with the table of today between the marks.
with_table() {
  awk -v begin="$begin" -v end="$end" -v table=docs/support.gen.md '
    $0 == begin {
      print
      getline counts <table
      print counts
      print ""
      print "<details><summary>The table</summary>"
      while ((getline line <table) > 0) print line
      print ""
      print "</details>"
      inside = 1
      marks++
    }
    $0 == end { inside = 0; marks++ }
    !inside
    END { if (marks != 2) { print "README.md: the marks of the support table are missing" >"/dev/stderr"; exit 1 } }
  ' "$1"
}

# with_part MARK TABLE: standard input, with the table between the marks of docs/npu.md.
with_part() {
  awk -v begin="<!-- $1: generated, see docs/BUILD -->" -v end="<!-- end of the $1 -->" -v table="$2" '
    $0 == begin {
      print
      while ((getline line <table) > 0) print line
      inside = 1
      marks++
    }
    $0 == end { inside = 0; marks++ }
    !inside
    END { if (marks != 2) { print "docs/npu.md: the marks of the tables are missing" >"/dev/stderr"; exit 1 } }
  '
}

# with_devices NPU.md: the same for the tables of devices and of segments.
with_devices() {
  with_part "device tables" docs/npu-devices.gen.md <"$1" | with_part "segment table" docs/npu-segments.gen.md
}

if [[ "$1" == update ]]; then
  root="$BUILD_WORKSPACE_DIRECTORY"
  with_devices "$root/docs/npu.md" >"$root/docs/npu.md.new"
  mv "$root/docs/npu.md.new" "$root/docs/npu.md"
  for page in circle-configuration ops circle-ops circle-integer-ops npu-ops proofs tools; do cp --no-preserve=mode "docs/$page.gen.md" "$root/docs/$page.md"; done
  with_table "$root/README.md" >"$root/README.md.new"
  mv "$root/README.md.new" "$root/README.md"
  exit
fi

good=1
for page in circle-configuration ops circle-ops circle-integer-ops npu-ops proofs tools; do
  diff -u "docs/$page.md" "docs/$page.gen.md" || good=0
done
with_table README.md | diff -u README.md - || good=0
with_devices docs/npu.md | diff -u docs/npu.md - || good=0
for tool in $(awk '/^(cc_binary|tool)\(/ { binary = 1 } binary && /name = / { gsub(/[",]/, ""); print $3; binary = 0 }' tools/BUILD); do
  grep -qx "## $tool" docs/tools.md || {
    echo "tools/BUILD has the program \`$tool\`, TOOLS in tools/tool.bzl has not"
    good=0
  }
done
[[ "$good" == 1 ]] || {
  echo "the documents are not what the definitions and the tools say; this mends them: bazel run //docs:update"
  exit 1
}
