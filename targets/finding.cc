#include "targets/finding.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::targets {

absl::Status ErrorsOf(absl::Span<const Finding> findings) {
  constexpr size_t kMost = 10;
  std::vector<absl::string_view> errors;
  for (const Finding& finding : findings) {
    if (finding.is_error) errors.push_back(finding.text);
  }
  if (errors.empty()) return absl::OkStatus();
  const size_t shown = std::min(errors.size(), kMost);
  std::string text = absl::StrJoin(errors.begin(), errors.begin() + shown, "\n");
  if (shown < errors.size()) absl::StrAppend(&text, "\nand ", errors.size() - shown, " more");
  return absl::InvalidArgumentError(text);
}

}  // namespace tessera::targets
