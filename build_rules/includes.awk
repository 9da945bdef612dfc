# Reports sources that use a name of the C++ library or of abseil whose header neither they include
# nor any header of ours that they include. Compiles start with such headers precompiled
# (//third_party/toolchain), so that the compiler does not notice; with other flags they are absent.

BEGIN {
  # header: names
  split("algorithm:std::(max|min|sort|stable_sort|find_if|any_of|all_of|none_of|reverse|lower_bound|upper_bound|fill_n?|copy_n?|unique)" \
    "|array:std::array|atomic:std::atomic|cmath:std::(sqrt|exp|log|pow|isnan|isinf|isfinite|floor|ceil)" \
    "|deque:std::deque|fstream:std::(i|o)fstream|functional:std::function|limits:std::numeric_limits" \
    "|map:std::map|memory:std::(unique_ptr|make_unique|shared_ptr|make_shared)|mutex:std::mutex" \
    "|numeric:std::(iota|accumulate)|optional:std::(optional|nullopt)|set:std::set" \
    "|sstream:std::(i|o)?stringstream|string:std::(string|to_string)|string_view:std::string_view|thread:std::thread" \
    "|tuple:std::tuple|unordered_map:std::unordered_map|unordered_set:std::unordered_set" \
    "|utility:std::(move|pair|exchange|swap|forward)|variant:std::variant|vector:std::vector" \
    "|absl/algorithm/container.h:absl::c_[a-z_]+|absl/container/btree_map.h:absl::btree_map" \
    "|absl/container/flat_hash_map.h:absl::flat_hash_map|absl/container/flat_hash_set.h:absl::flat_hash_set" \
    "|absl/container/inlined_vector.h:absl::InlinedVector|absl/functional/function_ref.h:absl::FunctionRef" \
    "|absl/status/status.h:absl::(Status|OkStatus|InternalError|InvalidArgumentError)|absl/status/statusor.h:absl::StatusOr" \
    "|absl/strings/escaping.h:absl::(CEscape|BytesToHexString)|absl/strings/match.h:absl::(StartsWith|EndsWith|StrContains)" \
    "|absl/strings/numbers.h:absl::Simple(Ato|Hto)[a-z]+|absl/strings/str_cat.h:absl::(StrCat|StrAppend|Hex|Dec)" \
    "|absl/strings/str_format.h:absl::(StrFormat|StrAppendFormat)|absl/strings/str_join.h:absl::StrJoin" \
    "|absl/strings/str_replace.h:absl::StrReplaceAll|absl/strings/str_split.h:absl::(StrSplit|MaxSplits)" \
    "|absl/strings/string_view.h:absl::string_view|absl/strings/strip.h:absl::(Strip|Consume)[A-Za-z]+" \
    "|absl/types/span.h:absl::(Span|MakeSpan|MakeConstSpan)", entry, /\|/)
  # A `|` inside a group belongs to the entry before it.
  for (i = 1; i in entry; ++i) {
    if (entry[i] ~ /^[a-z_\/.]+:[a-z]+::/) {
      header = entry[i]
      sub(/:.*/, "", header)
      names[header] = substr(entry[i], length(header) + 2)
    } else {
      names[header] = names[header] "|" entry[i]
    }
  }
  # What these include by what they promise.
  split("algorithm array deque functional map memory optional set tuple unordered_map variant vector", with_utility, " ")
  for (i in with_utility) gives[with_utility[i], "utility"] = 1
  gives["string", "string_view"] = gives["fstream", "string"] = gives["sstream", "string"] = 1
  gives["absl/status/statusor.h", "absl/status/status.h"] = 1
  split("status/status status/statusor strings/escaping strings/match strings/numbers strings/str_cat strings/str_format" \
    " strings/str_join strings/str_replace strings/str_split strings/strip", with_view, " ")
  for (i in with_view) gives["absl/" with_view[i] ".h", "absl/strings/string_view.h"] = 1
}

FNR == 1 {
  file = FILENAME
  sub(/^\.\//, "", file)
  files[++count] = file
}

/^#include [<"]/ {
  header = $2
  gsub(/[<">]/, "", header)
  included[file] = included[file] " " header
  next
}

/(std|absl)::/ {
  line = $0
  sub(/\/\/.*/, "", line)
  while (match(line, /(std|absl)::[A-Za-z_]+/)) {
    used[file, substr(line, RSTART, RLENGTH)] = 1
    if (!((file, substr(line, RSTART, RLENGTH)) in listed)) {
      listed[file, substr(line, RSTART, RLENGTH)] = 1
      uses[file] = uses[file] " " substr(line, RSTART, RLENGTH)
    }
    line = substr(line, RSTART + RLENGTH)
  }
}

# Marks in `reached` what `file` includes, through our own headers.
function reach(file, parts, n, i) {
  if (visited[file] == round) return
  visited[file] = round
  n = split(included[file], parts, " ")
  for (i = 1; i <= n; ++i) {
    reached[parts[i]] = round
    if (parts[i] in included) reach(parts[i])
  }
}

END {
  for (pair in gives) {
    split(pair, parts, SUBSEP)
    given_by[parts[2]] = given_by[parts[2]] " " parts[1]
  }
  for (f = 1; f <= count; ++f) {
    file = files[f]
    round = f
    reach(file)
    n = split(uses[file], name, " ")
    for (i = 1; i <= n; ++i) {
      if (!(name[i] in header_of)) {
        header_of[name[i]] = ""
        for (header in names) if (name[i] ~ "^(" names[header] ")$") header_of[name[i]] = header
      }
      header = header_of[name[i]]
      if (header == "" || reached[header] == round) continue
      found = 0
      m = split(given_by[header], by, " ")
      for (j = 1; j <= m && !found; ++j) found = reached[by[j]] == round
      if (found) continue
      printf "%s: uses %s and does not include %s\n", file, name[i], header
      failed = 1
      reached[header] = round
    }
  }
  if (count < 100) {
    print "the sources are not found"
    failed = 1
  }
  exit failed
}
