// Constants in the order in which kernels read them.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_ARRANGE_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_ARRANGE_H_

#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// A constant that a reduction reads along an axis of the result, for many results side by side, is
// transposed so that these lie side by side too: a convolution's weights, by output channel.
void ArrangeConstants(Program& program);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_ARRANGE_H_
