// In which order of axes the tensors between stages lie in memory.
#ifndef TESSERA_TARGETS_VULKAN_SELECTION_LAYOUTS_H_
#define TESSERA_TARGETS_VULKAN_SELECTION_LAYOUTS_H_

#include <cstddef>

#include "solver/expr.h"
#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// Moves the axis of a tensor last where its readers then load less: a reduction goes along it, four
// neighbours are a load if they are neighbours in memory, and the axis is of whole fours while the
// last one may not be (channels of an image of any size). What a stage loads and stores follows
// from the layouts of all its tensors; the sum over all stages, at sizes of about 256, is the least
// that there is (selection/cheapest.h). Every kernel reads and writes every layout: nothing is
// converted. Returns how many tensors were moved.
size_t ChooseLayouts(Program& program, const solver::Context& context);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_SELECTION_LAYOUTS_H_
