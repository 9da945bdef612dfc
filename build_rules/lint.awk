# Reports what buildifier would change in Bazel files, the parts that people get wrong, and blanks
# at line ends in any file.

function report(message) {
  printf "%s:%d: %s\n", FILENAME, FNR, message
  failed = 1
}

# Buildifier's order of labels: files, targets of the package, of the workspace, of others. Within
# each, dots and colons come before all other characters.
function key(label, phase) {
  phase = label ~ /^:/ ? 2 : label ~ /^\/\// ? 3 : label ~ /^@/ ? 4 : 1
  gsub(/[.:]/, "\001", label)
  return phase label
}

function end_of_file() {
  if (previous_file != "" && last == "") {
    printf "%s: ends with an empty line\n", previous_file
    failed = 1
  }
}

FNR == 1 {
  end_of_file()
  previous_file = FILENAME
  bazel = FILENAME ~ /(BUILD|\.bzl|WORKSPACE)$/
  loads_are_over = 0
  in_text = 0
  last_load = ""
  list = ""
}

{ last = $0 }

/[ \t\r]$/ { report("blanks at the end of the line") }

!bazel { next }

/\t/ { report("a tab") }

in_text || /^"""/ {
  # Of lines with an even number of quotes, and none, the text goes on as it was.
  in_text = (in_text + gsub(/"""/, "")) % 2
  next
}

/^load\("/ {
  if (loads_are_over) report("`load` after another statement")
  label = $0
  sub(/^load\("/, "", label)
  sub(/".*/, "", label)
  # Buildifier wants the loads of external repositories first.
  order = (label ~ /^@/ ? 1 : label ~ /^\/\// ? 2 : 3) key(label)
  if (order < last_load) report("`load(\"" label "\")` belongs before the one above")
  last_load = order
  next
}

/^[a-z_\[]+\(?/ && !/^load\(/ && !/^\)/ && !/^workspace\(/ { loads_are_over = 1 }

/^ *(data|deps|hdrs|srcs|tools|visibility) = \[$/ {
  list = $1
  last_label = ""
  next
}

list != "" && /^ *\]/ { list = ""; next }

list != "" && /^ *".*",( *#.*)?$/ {
  label = $0
  sub(/^ *"/, "", label)
  sub(/".*/, "", label)
  if (key(label) < last_label) report("`" list "` is not sorted: `" label "`")
  if (key(label) == last_label) report("`" list "` has `" label "` twice")
  last_label = key(label)
  next
}

# What is no plain list (a comprehension, a sum) is left alone; so is the order across a comment.
list != "" && !/^ *#/ { list = "" }
list != "" { last_label = "" }

/^ *(data|deps|hdrs|srcs|tools|visibility) = \[.*", .*\],$/ {
  report("a list of several elements goes over several lines")
}

END {
  end_of_file()
  exit failed
}
