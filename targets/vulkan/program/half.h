// Tensors in 16 bits.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_HALF_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_HALF_H_

#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// f32 tensors that lie between stages are stored as f16, and so are constants that many are and
// that f16 holds; what is computed stays f32. Inputs and outputs keep their type, and so does what
// a recurrence writes, whose roundings would add up.
void StoreInHalf(Program& program);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_HALF_H_
