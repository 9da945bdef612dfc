#include "tools/cli/assignment.h"

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tessera::cli {

std::optional<std::pair<std::string, std::string>> SplitAssignment(std::string_view argument) {
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  return std::pair(std::string(argument.substr(0, equals)),
                   std::string(argument.substr(equals + 1)));
}

absl::StatusOr<RandomSource> ParseRandomSource(std::string_view text) {
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), ':');
  const auto malformed = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("`", std::string(text), "`: ", what,
                     "; the forms are `random:SEED` and `random:SEED:2x3x224x224`"));
  };
  RandomSource source;
  if (parts.size() < 2 || parts.size() > 3 || parts[0] != "random")
    return malformed("not a random source");
  if (!absl::SimpleAtoi(parts[1], &source.seed))
    return malformed("the seed is a number from 0 to 2^64 - 1");
  if (parts.size() == 2) return source;
  source.shape.emplace();
  if (parts[2].empty()) return source;  // rank 0
  for (const absl::string_view dim : absl::StrSplit(parts[2], 'x')) {
    int64_t value = 0;
    if (!absl::SimpleAtoi(dim, &value) || value < 0)
      return malformed("the shape is made of numbers joined by `x`");
    source.shape->push_back(value);
  }
  return source;
}

}  // namespace tessera::cli
