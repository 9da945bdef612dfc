#include "support/nearest.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::support {
namespace {

constexpr size_t kMostCandidates = 20000, kLongest = 300;

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::vector<std::string> NearestTo(std::string_view word,
                                   const std::vector<std::string>& candidates, size_t count) {
  word = word.substr(0, kLongest);
  std::vector<std::pair<size_t, const std::string*>> ranked;
  for (size_t i = 0; i < std::min(candidates.size(), kMostCandidates); ++i) {
    const std::string_view candidate = std::string_view(candidates[i]).substr(0, kLongest);
    if (candidate.empty() || word.empty()) continue;
    const size_t distance = EditDistance(word, candidate);
    const bool holds = candidate.find(word) != std::string_view::npos ||
                       word.find(candidate) != std::string_view::npos;
    if (!holds && distance > std::max<size_t>(2, word.size() / 2)) continue;
    ranked.emplace_back(holds ? distance / 4 : distance, &candidates[i]);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> nearest;
  for (const auto& [distance, candidate] : ranked) {
    if (nearest.size() == count) break;
    if (std::find(nearest.begin(), nearest.end(), *candidate) == nearest.end())
      nearest.push_back(*candidate);
  }
  return nearest;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::vector<std::string> nearest = NearestTo(word, candidates, 3);
  return nearest.empty() ? ""
                         : absl::StrCat("; did you mean `", absl::StrJoin(nearest, "` or `"), "`?");
}

}  // namespace tessera::support
