#include "targets/vulkan/runtime/parts.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tessera::vulkan {
namespace {

int64_t CeilDiv(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

// The first position of an output that all of follows from what is there from `begin` on.
int64_t FirstOf(const file::TiledOutput& output, int64_t begin) {
  return begin == 0 ? 0
                    : CeilDiv((begin + output.before()) * output.denominator(), output.numerator());
}

// The position behind the last that follows from what is there before `end`.
int64_t EndOf(const file::TiledOutput& output, int64_t end, int64_t size, int64_t all) {
  if (end >= size) return all;
  const int64_t last = end - 1 - output.after();
  return last < 0 ? 0 : std::min(all, last * output.denominator() / output.numerator() + 1);
}

}  // namespace

std::vector<PartAlong> PartsAlong(const file::Tiling& tiling, int64_t size, int64_t length,
                                  int64_t least, std::span<const int64_t> output_sizes) {
  if (std::min(length, size) < least) return {};
  std::vector<PartAlong> parts;
  for (int64_t begin = 0;;) {
    PartAlong part{begin, std::min(length, size - begin), {}, {}};
    for (uint32_t i = 0; i < tiling.outputs()->size(); ++i) {
      const file::TiledOutput& output = *tiling.outputs()->Get(i);
      // What does not follow from the image is that of the first part.
      const bool follows = output.axis() >= 0;
      part.firsts.push_back(!follows || parts.empty() ? 0 : parts.back().ends[i]);
      part.ends.push_back(follows ? EndOf(output, begin + part.length, size, output_sizes[i])
                                  : output_sizes[i]);
    }
    parts.push_back(part);
    if (begin + part.length >= size) return parts;
    // The next one begins as late as it may, and early enough to be long enough.
    int64_t next = begin + part.length;
    for (bool late = true; late && next > begin;) {
      next -= tiling.step();
      late = false;
      for (uint32_t i = 0; i < tiling.outputs()->size(); ++i) {
        const file::TiledOutput& output = *tiling.outputs()->Get(i);
        late |= output.axis() >= 0 && FirstOf(output, next) > part.ends[i];
      }
    }
    next = std::min(next, (size - least) / tiling.step() * tiling.step());
    if (next <= begin) return {};
    begin = next;
  }
}

void CopyBlock(const uint8_t* from, const Layout& from_layout, std::span<const int64_t> from_at,
               uint8_t* to, const Layout& to_layout, std::span<const int64_t> to_at,
               std::span<const int64_t> extents) {
  const size_t rank = extents.size();
  uint64_t from_stride = from_layout.element, to_stride = to_layout.element;
  std::vector<uint64_t> from_strides(rank), to_strides(rank);
  for (size_t d = rank; d-- > 0;) {
    from_strides[d] = from_stride;
    to_strides[d] = to_stride;
    from_stride *= static_cast<uint64_t>(from_layout.shape[d]);
    to_stride *= static_cast<uint64_t>(to_layout.shape[d]);
    if (extents[d] == 0) return;
    from += from_strides[d] * static_cast<uint64_t>(from_at[d]);
    to += to_strides[d] * static_cast<uint64_t>(to_at[d]);
  }
  const uint64_t row =
      from_layout.element * static_cast<uint64_t>(rank == 0 ? 1 : extents[rank - 1]);
  std::vector<int64_t> at(rank, 0);
  for (;;) {
    std::memcpy(to, from, row);
    size_t d = rank < 2 ? 0 : rank - 1;
    for (; d-- > 0;) {
      from += from_strides[d];
      to += to_strides[d];
      if (++at[d] < extents[d]) break;
      from -= from_strides[d] * static_cast<uint64_t>(extents[d]);
      to -= to_strides[d] * static_cast<uint64_t>(extents[d]);
      at[d] = 0;
    }
    if (d == static_cast<size_t>(-1)) return;
  }
}

}  // namespace tessera::vulkan
