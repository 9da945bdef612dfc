// Results in the memory of operands that nothing uses any more.
#ifndef TESSERA_TARGETS_VULKAN_ARTIFACT_IN_PLACE_H_
#define TESSERA_TARGETS_VULKAN_ARTIFACT_IN_PLACE_H_

#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// Makes what a stage writes a view of a tensor that it reads and nothing does later, where each
// invocation reads of that only what it writes itself (runtime/in_place.h has the rule, and a
// session looks at it): the sum of a branch and what it goes around lies where the latter did.
// Inputs stay as they are. The kernels of these stages are known: no stage is changed behind this.
void PlaceResults(Program& program);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_ARTIFACT_IN_PLACE_H_
