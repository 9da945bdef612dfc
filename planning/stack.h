// A plan for other sizes. A packing says which buffers lie below which; with that the offsets
// follow for any sizes, and buffers that are live together cannot overlap, whatever the sizes are.
// So a program whose sizes are symbols has one plan, its offsets are expressions of them.
#ifndef TESSERA_PLANNING_STACK_H_
#define TESSERA_PLANNING_STACK_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "planning/pack.h"

namespace tessera::planning {

struct Stacking {
  std::vector<size_t> order;               // by offset: each after those below it
  std::vector<std::vector<size_t>> below;  // by buffer: those live at one time with it, and lower
};

// Of a plan without overlaps. What is below what is below is left out.
Stacking StackingOf(absl::Span<const Buffer> buffers, absl::Span<const int64_t> offsets);

// The offsets for other sizes: 0, or the greatest end of what lies below. `Size` is an integer or
// an expression; `max(Size, Size)` and `align(Size, int64_t)`, which rounds up, are functions.
template <class Size, class Max, class Align>
std::vector<Size> OffsetsFor(const Stacking& stacking, absl::Span<const Buffer> buffers,
                             absl::Span<const Size> sizes, Size zero, Max max, Align align) {
  std::vector<Size> offsets(buffers.size(), zero);
  for (size_t i : stacking.order) {
    for (size_t j : stacking.below[i])
      offsets[i] = max(offsets[i], align(offsets[j] + sizes[j], buffers[i].alignment));
  }
  return offsets;
}

}  // namespace tessera::planning

#endif  // TESSERA_PLANNING_STACK_H_
