// What is computed element by element has one axis.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_FLATTEN_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_FLATTEN_H_

#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {

// A stage of which each element is computed from the elements at the same place in tensors of the
// same shape, and from what does not vary, becomes one over views with all axes as one: then four
// neighbours are one load and one store, whatever the sizes.
void FlattenElementwise(Program& program, Axes& axes);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_FLATTEN_H_
