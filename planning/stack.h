// A plan for other sizes. A packing says which buffers lie below which; with that the offsets
// follow for any sizes, and buffers that are live together cannot overlap, whatever the sizes are.
// So a program whose sizes are symbols has one plan, its offsets are expressions of them.
#ifndef TESSERA_PLANNING_STACK_H_
#define TESSERA_PLANNING_STACK_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "planning/pack.h"

namespace tessera::planning {

// By number, those before it in `order` that are below it, but for what is below another of them,
// by way of however many: what ends before something begins ends before all that is above that.
std::vector<std::vector<size_t>> DirectlyBelow(
    absl::Span<const size_t> order, absl::FunctionRef<bool(size_t lower, size_t upper)> is_below);

// Buffers that begin at one place, whatever the sizes are.
struct Level {
  std::vector<size_t> buffers;
  std::vector<size_t> below;  // directly, of those live at one time with one of them, and lower
  int64_t alignment = 1;      // all of theirs
};

struct Stacking {
  std::vector<Level> levels;  // each after those that what is below it belongs to
};

// Of a plan without overlaps: what begins at one place in it does so at any size, so that a network
// of many equal layers has few different places.
Stacking StackingOf(absl::Span<const Buffer> buffers, absl::Span<const int64_t> offsets);

// The offsets for other sizes: 0, or the greatest end of what lies below. `Size` is an integer or
// an expression; `greatest(std::vector<Size>)`, of one or more, and `align(Size, int64_t)`, which
// rounds up, are functions.
template <class Size, class Greatest, class Align>
std::vector<Size> OffsetsFor(const Stacking& stacking, absl::Span<const Size> sizes, Size zero,
                             Greatest greatest, Align align) {
  std::vector<Size> offsets(sizes.size(), zero);
  for (const Level& level : stacking.levels) {
    std::vector<Size> ends;
    for (size_t j : level.below) ends.push_back(align(offsets[j] + sizes[j], level.alignment));
    if (ends.empty()) continue;
    const Size offset = greatest(std::move(ends));
    for (size_t i : level.buffers) offsets[i] = offset;
  }
  return offsets;
}

}  // namespace tessera::planning

#endif  // TESSERA_PLANNING_STACK_H_
