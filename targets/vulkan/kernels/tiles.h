// How many elements one invocation computes, along which axes: as many as let it use what it loads
// several times.
#ifndef TESSERA_TARGETS_VULKAN_KERNELS_TILES_H_
#define TESSERA_TARGETS_VULKAN_KERNELS_TILES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "nests/nest.h"
#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// Of an invocation that takes four terms of a reduction at a time: no more lanes than these.
inline constexpr int64_t kMostLanesByFours = 64;

// By axis of the nest; 1: one element. A known extent is no smaller than the tile; of another one
// the last tile may reach beyond it.
std::vector<int64_t> TilesOf(const nests::Nest& nest, const Tiling& tiling);
// Of the first nest of a stage whose kernel is printed.
std::vector<int64_t> TilesOf(const Stage& stage);

// The axis along which neighbouring invocations lie: the one whose elements lie side by side where
// they are written, or one that is tiled and short
// enough that what is read by it stays near while all else passes by once.
size_t FastestAxis(const nests::Nest& nest, const std::vector<int64_t>& tiles);

// Those that are worth a measurement, first what is taken without one.
absl::Span<const Tiling> Tilings();

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_KERNELS_TILES_H_
