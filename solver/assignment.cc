#include "solver/assignment.h"

#include "absl/strings/str_cat.h"

namespace tessera::solver {

std::string ToText(const Assignment& sizes) {
  std::string text;
  for (const auto& [symbol, size] : sizes)
    absl::StrAppend(&text, text.empty() ? "" : ", ", symbol, "=", size);
  return text;
}

std::string ToText(const Assignment& sizes, const std::vector<std::string>& symbols) {
  std::string text;
  for (const std::string& symbol : symbols) {
    const auto size = sizes.find(symbol);
    if (size != sizes.end())
      absl::StrAppend(&text, text.empty() ? "" : ", ", symbol, "=", size->second);
  }
  return text;
}

}  // namespace tessera::solver
