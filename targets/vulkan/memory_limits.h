// What a certificate says of the memory of a file.
#ifndef TESSERA_TARGETS_VULKAN_MEMORY_LIMITS_H_
#define TESSERA_TARGETS_VULKAN_MEMORY_LIMITS_H_

#include <vector>

#include "targets/target.h"
#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

// `memory.apart` of each tensor of the arena: what is in use at some time when it is, and lies
// directly below it (planning/stack.h), ends where it begins or before. For what is farther below
// that follows, since sizes at which a tensor has fewer than no bytes are refused by a session. Of
// two that have no bytes at the sizes that say which lies below, it is one or the other.
// `memory.inside` of what nothing lies below, or nothing above: it begins, or ends, within the
// arena. `memory.in_place` of each that takes the place of another (runtime/in_place.h): that is
// read only where the same point writes. All of them for all sizes of the inputs, in the words of
// the file's own expressions. Which of two lies below is looked up at the usual sizes
// (AtUsualSizes); where there are none, nothing is said.
std::vector<targets::DeviceLimit> MemoryLimits(const file::Model& model);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_MEMORY_LIMITS_H_
