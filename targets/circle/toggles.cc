#include "targets/circle/toggles.h"

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "targets/circle/toggles_text.h"

namespace tessera::circle {

std::vector<targets::Toggle> Toggles() {
  std::vector<targets::Toggle> toggles;
  const std::string text(TogglesText());
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (line[0] == '#') continue;
    const std::vector<std::string> fields = absl::StrSplit(line, '|');
    toggles.push_back({fields.at(0), fields.at(4), fields.at(1) == "on",
                       absl::StrSplit(fields.at(2), ' ', absl::SkipEmpty()),
                       absl::StrSplit(fields.at(3), ' ', absl::SkipEmpty()), fields.at(5)});
  }
  return toggles;
}

}  // namespace tessera::circle
