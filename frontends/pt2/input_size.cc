#include "frontends/pt2/input_size.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tessera::pt2_import {
namespace {

constexpr char kSize[] = ".size()[";

absl::string_view TakeTo(absl::string_view& rest, absl::string_view ends) {
  const absl::string_view word = rest.substr(0, rest.find_first_of(ends));
  rest.remove_prefix(word.size());
  return word;
}

// A key of a dictionary, or a position in a list, behind its `[`.
std::optional<absl::string_view> TakeKey(absl::string_view& rest) {
  const char quote = rest.empty() ? '\0' : rest[0];
  if (quote != '\'' && quote != '"') {
    const absl::string_view position = TakeTo(rest, "]");
    return absl::ConsumePrefix(&rest, "]") ? std::optional(position) : std::nullopt;
  }
  const absl::string_view mark = rest.substr(0, 1);
  rest.remove_prefix(1);
  const absl::string_view key = TakeTo(rest, mark);
  if (absl::StrContains(key, '\\') || !absl::ConsumePrefix(&rest, mark) ||
      !absl::ConsumePrefix(&rest, "]"))
    return std::nullopt;
  return key;
}

// As the program calls it. Where another name became it too, which of them it is is not known.
std::optional<std::string> NameOf(const std::string& path, const InputSizes& sizes) {
  const auto has = [&](const std::string& name) {
    const auto it = sizes.lower_bound({name, 0});
    return it != sizes.end() && it->first.first == name;
  };
  if (has(path)) return path;
  std::string name = path;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return absl::ascii_isalnum(c) ? absl::ascii_tolower(c) : '_';
  });
  if (!has(name) || has(name + "_1")) return std::nullopt;
  return name;
}

}  // namespace

// `L['xs'][0].size()[2]` is of the input `xs_0`, `L['pair'].first.size()[2]` of `pair_first`.
std::optional<SizeText> TakeInputSize(absl::string_view& rest, const InputSizes& sizes) {
  std::string path;
  while (!absl::StartsWith(rest, kSize)) {
    std::optional<absl::string_view> step;
    if (absl::ConsumePrefix(&rest, "[")) {
      step = TakeKey(rest);
    } else if (absl::ConsumePrefix(&rest, ".")) {
      step = TakeTo(rest, ".[");
    }
    if (!step || step->empty()) return std::nullopt;
    absl::StrAppend(&path, path.empty() ? "" : "_", *step);
  }
  absl::ConsumePrefix(&rest, kSize);
  int64_t axis = 0;
  if (!absl::SimpleAtoi(TakeTo(rest, "]"), &axis) || !absl::ConsumePrefix(&rest, "]"))
    return std::nullopt;
  const std::optional<std::string> name = NameOf(path, sizes);
  const auto it = name ? sizes.find({*name, axis}) : sizes.end();
  return it == sizes.end() ? std::nullopt : std::optional(it->second);
}

bool SpeaksOfSizes(absl::string_view guard) { return absl::StrContains(guard, kSize); }

std::vector<absl::string_view> ConjunctsOf(absl::string_view guard) {
  constexpr absl::string_view kAnd = " and ";
  std::vector<absl::string_view> parts;
  size_t begin = 0;
  int depth = 0;
  char quote = '\0';
  for (size_t i = 0; i < guard.size(); ++i) {
    const char c = guard[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    } else if (depth == 0 && absl::StartsWith(guard.substr(i), " or ")) {
      return {guard};
    } else if (depth == 0 && absl::StartsWith(guard.substr(i), kAnd)) {
      parts.push_back(guard.substr(begin, i - begin));
      begin = i + kAnd.size();
      i = begin - 1;
    }
  }
  parts.push_back(guard.substr(begin));
  return parts;
}

}  // namespace tessera::pt2_import
