// What a certificate says of the elements that kernels read and write.
#ifndef TESSERA_TARGETS_VULKAN_ACCESS_LIMITS_H_
#define TESSERA_TARGETS_VULKAN_ACCESS_LIMITS_H_

#include <vector>

#include "targets/target.h"
#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

// For all sizes of the inputs and all points that a dispatch computes, in the words of the file's
// own expressions. `access.inside` of each dispatch: what it reads and writes, and does not look at
// when it runs, lies in its tensor; and there are invocations for all points. `access.complete` of
// each tensor that dispatches write: for each of its elements the point that writes it. What is
// not known to hold is not among them; the messages count it, and what is looked at.
std::vector<targets::DeviceLimit> AccessLimits(const file::Model& model);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_ACCESS_LIMITS_H_
