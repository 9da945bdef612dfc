#include "planning/stack.h"

#include <algorithm>
#include <numeric>

namespace tessera::planning {

Stacking StackingOf(absl::Span<const Buffer> buffers, absl::Span<const int64_t> offsets) {
  Stacking stacking;
  stacking.order.resize(buffers.size());
  std::iota(stacking.order.begin(), stacking.order.end(), size_t{0});
  // Buffers of no size come first among equals, so that their order does not matter for others.
  std::stable_sort(stacking.order.begin(), stacking.order.end(), [&](size_t x, size_t y) {
    return offsets[x] != offsets[y] ? offsets[x] < offsets[y] : buffers[x].size < buffers[y].size;
  });
  stacking.below.resize(buffers.size());
  for (size_t k = 0; k < stacking.order.size(); ++k) {
    const size_t i = stacking.order[k];
    std::vector<size_t>& below = stacking.below[i];
    // From the highest down: one that lies below another of them for as long is implied.
    for (size_t l = k; l-- > 0;) {
      const size_t j = stacking.order[l];
      if (buffers[i].begin >= buffers[j].end || buffers[j].begin >= buffers[i].end) continue;
      const bool implied = std::any_of(below.begin(), below.end(), [&](size_t between) {
        const std::vector<size_t>& under = stacking.below[between];
        return std::find(under.begin(), under.end(), j) != under.end();
      });
      if (!implied) below.push_back(j);
    }
  }
  return stacking;
}

}  // namespace tessera::planning
