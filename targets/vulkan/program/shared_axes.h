// Equal stages as equal texts.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_SHARED_AXES_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_SHARED_AXES_H_

#include "solver/expr.h"
#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// The stage with axes by the names that those of all stages get here, in their order: sums and
// products of expressions stand in an order that follows from when their parts were first met, so
// that stages which compute the same by axes of their own are kernels of different texts. For
// stages that are put into no others any more; one by a shader stays as it is.
Stage WithSharedAxes(const Stage& stage, solver::Context& context);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_SHARED_AXES_H_
