#include "planning/stack.h"

#include <algorithm>
#include <numeric>

namespace tessera::planning {

Stacking StackingOf(absl::Span<const Buffer> buffers, absl::Span<const int64_t> offsets) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Buffers of no size come first among equals, so that their order does not matter for others.
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    return offsets[x] != offsets[y] ? offsets[x] < offsets[y] : buffers[x].size < buffers[y].size;
  });
  Stacking stacking;
  std::vector<std::vector<size_t>> below_of(buffers.size());
  for (size_t k = 0; k < order.size(); ++k) {
    const size_t i = order[k];
    std::vector<size_t>& below = below_of[i];
    // From the highest down: one that lies below another of them for as long is implied.
    for (size_t l = k; l-- > 0;) {
      const size_t j = order[l];
      if (buffers[i].begin >= buffers[j].end || buffers[j].begin >= buffers[i].end) continue;
      const bool implied = std::any_of(below.begin(), below.end(), [&](size_t between) {
        const std::vector<size_t>& under = below_of[between];
        return std::find(under.begin(), under.end(), j) != under.end();
      });
      if (!implied) below.push_back(j);
    }
    // Two of no size may be live together at one place: one of them is below.
    const bool same =
        k > 0 && offsets[i] == offsets[order[k - 1]] && buffers[order[k - 1]].size > 0;
    if (!same) stacking.levels.emplace_back();
    Level& level = stacking.levels.back();
    level.buffers.push_back(i);
    level.below.insert(level.below.end(), below.begin(), below.end());
    level.alignment = std::lcm(level.alignment, buffers[i].alignment);
  }
  for (Level& level : stacking.levels) {
    std::sort(level.below.begin(), level.below.end());
    level.below.erase(std::unique(level.below.begin(), level.below.end()), level.below.end());
  }
  return stacking;
}

}  // namespace tessera::planning
