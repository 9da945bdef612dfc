// How an image is run by parts where all of it would take more memory than there is: which
// positions of the inputs each part has, and which of the outputs follow from it.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_PARTS_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_PARTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

// One of the parts along a size: the inputs' positions begin to begin + length - 1, and of each
// output those from firsts[i] to ends[i] - 1.
struct PartAlong {
  int64_t begin = 0, length = 0;
  std::vector<int64_t> firsts, ends;
};

// Parts of at most `length` positions, a multiple of the step, and of at least `least` that make up
// all of `size`; `output_sizes[i]`: of output i along it. Empty: a part of that length yields
// nothing, or there are no such parts.
std::vector<PartAlong> PartsAlong(const file::Tiling& tiling, int64_t size, int64_t length,
                                  int64_t least, std::span<const int64_t> output_sizes);

// A dense array's shape, and the bytes of an element.
struct Layout {
  std::vector<int64_t> shape;
  uint64_t element = 1;
};
// Copies the block of `extents` from `from_at` on to `to_at` on.
void CopyBlock(const uint8_t* from, const Layout& from_layout, std::span<const int64_t> from_at,
               uint8_t* to, const Layout& to_layout, std::span<const int64_t> to_at,
               std::span<const int64_t> extents);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_PARTS_H_
