#include "frontends/data/sizes_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::data {

std::string SizesText(absl::Span<const std::optional<int64_t>> sizes) {
  const auto append = [](std::string* text, const std::optional<int64_t>& size) {
    absl::StrAppend(text, size ? absl::StrCat(*size) : "?");
  };
  return absl::StrCat("[", absl::StrJoin(sizes, ",", append), "]");
}

}  // namespace tessera::data
