// What reads a concatenation reads its parts.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_DISTRIBUTE_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_DISTRIBUTE_H_

#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {

// A tensor of which each part along one dimension is moved there from elsewhere (copied, repeated,
// padded) is not made where all that reads it does so by an axis of its own along that dimension:
// each such stage becomes one stage for each part, which reads from where the part comes, and
// computes as much as before.
void DistributeOverParts(Program& program, Axes& axes);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_DISTRIBUTE_H_
