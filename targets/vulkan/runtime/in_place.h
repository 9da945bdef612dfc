// Results that lie where an operand of theirs did.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_IN_PLACE_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_IN_PLACE_H_

#include <cstdint>

#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

// Whether what the dispatch writes to tensor `result` may take the place of what it reads of
// `operand`: each invocation reads of that only the elements that it writes itself, and no other
// one writes them. So it is if both are of the same type and sizes, the dispatch writes nothing
// else, all indices of both are the same axes, each of the dispatch's once, and tiles do not
// overlap. Kernels whose invocations share what they load are none of these. The file has been
// read, so that its indices lead somewhere.
bool MayTakePlace(const file::Model& model, const file::Dispatch& dispatch, uint32_t operand,
                  uint32_t result);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_IN_PLACE_H_
