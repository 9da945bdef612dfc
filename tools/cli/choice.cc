#include "tools/cli/choice.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/cli/command_line.h"

namespace tessera::cli {

std::string NotOneOf(std::string_view flag, std::string_view value,
                     const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return "";
  const std::optional<std::string> nearest = Nearest(value, choices);
  return absl::StrCat(
      "`", std::string(flag), " ", std::string(value),
      "`: ", nearest.has_value() ? absl::StrCat("did you mean `", *nearest, "`? There ") : "there ",
      choices.size() == 1 ? "is `" : "are `", absl::StrJoin(choices, "`, `"), "`");
}

}  // namespace tessera::cli
