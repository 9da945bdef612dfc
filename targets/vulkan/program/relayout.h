// Tensors in memory in another order than that of their dims.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_RELAYOUT_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_RELAYOUT_H_

#include <cstddef>
#include <map>
#include <vector>

#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// Of each of these tensors the axis that is named comes last, so that its neighbours are neighbours
// in memory (channels of an image: interleaved in the place of planar). Whoever writes or reads
// them does so by indices in that order; values stay the same. They are computed, no outputs, and
// in no view.
void MoveAxesLast(Program& program, const std::map<int, size_t>& axis_by_tensor);

// By tensor: whether its axes can be moved so.
std::vector<bool> MovableTensors(const Program& program);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_RELAYOUT_H_
