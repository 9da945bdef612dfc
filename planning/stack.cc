#include "planning/stack.h"

#include <algorithm>
#include <numeric>

namespace tessera::planning {

std::vector<std::vector<size_t>> DirectlyBelow(
    absl::Span<const size_t> order, absl::FunctionRef<bool(size_t lower, size_t upper)> is_below) {
  std::vector<std::vector<size_t>> below_of(order.size());
  // By number, the last one for which it was found to be below another.
  std::vector<size_t> implied_for(order.size(), order.size());
  std::vector<size_t> open;
  for (size_t k = 0; k < order.size(); ++k) {
    const size_t upper = order[k];
    // From the highest down, so that what implies others comes before them.
    for (size_t l = k; l-- > 0;) {
      const size_t lower = order[l];
      if (implied_for[lower] == upper || !is_below(lower, upper)) continue;
      below_of[upper].push_back(lower);
      open.push_back(lower);
      while (!open.empty()) {
        const size_t from = open.back();
        open.pop_back();
        for (const size_t under : below_of[from]) {
          if (implied_for[under] == upper) continue;
          implied_for[under] = upper;
          open.push_back(under);
        }
      }
    }
  }
  return below_of;
}

Stacking StackingOf(absl::Span<const Buffer> buffers, absl::Span<const int64_t> offsets) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Buffers of no size come first among equals, so that their order does not matter for others.
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    return offsets[x] != offsets[y] ? offsets[x] < offsets[y] : buffers[x].size < buffers[y].size;
  });
  const std::vector<std::vector<size_t>> below_of = DirectlyBelow(order, [&](size_t lower,
                                                                             size_t upper) {
    return buffers[lower].begin < buffers[upper].end && buffers[upper].begin < buffers[lower].end;
  });
  Stacking stacking;
  for (size_t k = 0; k < order.size(); ++k) {
    const size_t i = order[k];
    // Two of no size may be live together at one place: one of them is below.
    const bool same =
        k > 0 && offsets[i] == offsets[order[k - 1]] && buffers[order[k - 1]].size > 0;
    if (!same) stacking.levels.emplace_back();
    Level& level = stacking.levels.back();
    level.buffers.push_back(i);
    level.below.insert(level.below.end(), below_of[i].begin(), below_of[i].end());
    level.alignment = std::lcm(level.alignment, buffers[i].alignment);
  }
  for (Level& level : stacking.levels) {
    std::sort(level.below.begin(), level.below.end());
    level.below.erase(std::unique(level.below.begin(), level.below.end()), level.below.end());
  }
  return stacking;
}

}  // namespace tessera::planning
