// Elements of a row that are read more than once, in memory that a workgroup shares.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_ROW_MEMORY_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_ROW_MEMORY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// How many points there are at most; nothing: no bound is known.
std::optional<int64_t> MostPoints(const std::vector<nests::Axis>& axes);

// What several nests of a stage by rows read of a tensor, at the same elements of the row, becomes
// a tensor of the row's own, which a nest before them writes: softmax and normalizations read their
// operand once. As far as it is known to be no more than so many floats.
void KeepRows(Stage& stage, const Program& program, int64_t floats);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_ROW_MEMORY_H_
