# Reports mentions of ops in sources. The files are read twice: what is defined, then who mentions it.
#
# A mention is a string literal without blanks, one of whose words is the name of an op (`"Conv"`,
# `"circle.CONV_2D"`), or a name that is generated from an op (`ConvShape`, `ConvInfo`). Text for
# people has blanks, and a C++ function may be called `Add`. Not looked at:
# - tests: `*_test.*`, `test*.*`, `*_for_test.*`, the folder of tests, testdata;
# - in the generator, literals that name functions which generated code calls (codegen/support);
# - headers that an `extern` clause of a kernel or an import names, and for one op the source that
#   its `extern` statement names;
# - the schema of Circle, whose names of operators are the format's data (targets/circle/schema),
#   and samples of files in that format (targets/circle/file/sample_models.cc, a test's);
# - the ops that the IR itself defines (ir/builtin.cc).

function report(what) {
  printf "%s:%d: %s\n  %s\n", FILENAME, FNR, what, $0
  failed = 1
}

function is_test(path) {
  return path ~ /_test\.[a-z]+$|_for_test\.[a-z]+$|(^|\/)test[a-z_]*\.[a-z]+$|^\.\/testing\/|\/testdata\/|_test_|sample_models\.(cc|h)$/
}

# Words between quotes; `code` is what is left of the line.
function literals(line,    text, c, i, inside, word) {
  count = 0
  code = ""
  for (i = 1; i <= length(line); ++i) {
    c = substr(line, i, 1)
    if (inside && c == "\\") {
      word = word c substr(line, ++i, 1)
    } else if (c == "\"") {
      if (inside) literal[++count] = word
      inside = !inside
      word = ""
    } else if (inside) {
      word = word c
    } else if (c == "/" && substr(line, i + 1, 1) == "/") {
      break
    } else {
      code = code c
    }
  }
}

BEGIN {
  suffix = "(Shape|Info|Imports|Operands|Kernel|Symbolic|Compute|Build|Complete|Infer|Op)$|(Import[0-9]+|Lower_[a-z_]+)$"
  # Every file once more.
  n = ARGC
  for (i = 1; i < n; ++i) ARGV[ARGC++] = ARGV[i]
  files = n - 1
}

FNR == 1 {
  pass = ++seen > files ? 2 : 1
  test = is_test(FILENAME)
  definition = FILENAME ~ /\.op$/
}

pass == 1 && definition && !test {
  if ($1 == "op" || $1 == "builder") {
    ops[$2] = 1
    op = $2
    ++defined
  }
  if ($1 == "extern") {
    split($0, part, "\"")
    maker[op, "./" part[2]] = FILENAME ":" FNR
    next
  }
  sub(/fast kernel "/, "fast extern \"")
  if (match($0, /extern "[^"]*"/)) {
    path = FILENAME
    sub(/[^\/]*$/, "", path)
    externs[path substr($0, RSTART + 8, RLENGTH - 9)] = 1
  }
  next
}

# info.name = "Constant";
pass == 1 && FILENAME == "./ir/builtin.cc" && /info\.name = "/ {
  split($0, part, "\"")
  builtin[part[2]] = 1
}

pass == 1 && FILENAME ~ /^\.\/codegen\/support\// {
  rest = $0
  while (match(rest, /[A-Za-z]+\(/)) {
    called[substr(rest, RSTART, RLENGTH - 1)] = 1
    rest = substr(rest, RSTART + RLENGTH)
  }
}

pass == 1 || definition || test { next }
FILENAME in externs || FILENAME ~ /^\.\/targets\/circle\/schema\// { next }
FILENAME ~ /\.(cc|h)$/ && (/^ *\/\// || /^#include/) { next }
FILENAME !~ /\.(cc|h)$/ && /^ *#/ { next }

{
  generator = FILENAME ~ /^\.\/codegen\/[a-z_]+\.(cc|h)$/
  literals($0)
  for (i = 1; i <= count; ++i) {
    if (literal[i] ~ / /) continue
    words = split(literal[i], word, /[^A-Za-z0-9_]+/)
    for (j = 1; j <= words; ++j) {
      if (!(word[j] in ops) || word[j] in builtin || (generator && word[j] in called)) continue
      if ((word[j], FILENAME) in maker) {
        made[word[j], FILENAME] = 1
        continue
      }
      report("the op `" word[j] "` by its name")
    }
  }
  words = split(code, word, /[^A-Za-z0-9_]+/)
  for (j = 1; j <= words; ++j) {
    name = word[j]
    if (sub(suffix, "", name) && name in ops && !(name in builtin)) report("`" word[j] "`, generated from the op `" name "`")
  }
}

END {
  for (key in maker) {
    if (key in made) continue
    print maker[key] ": the source that `extern` names does not create the op"
    failed = 1
  }
  # A check that found no definitions has checked nothing.
  if (defined < 100) {
    print "only " defined + 0 " definitions of ops found"
    failed = 1
  }
  exit failed
}
