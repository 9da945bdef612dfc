// Vulkan's structures say themselves what they are.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_STRUCTURE_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_STRUCTURE_H_

#include <vulkan/vulkan_core.h>

namespace tessera::vulkan {

template <class T>
T Structure(VkStructureType type) {
  T structure = {};
  structure.sType = type;
  return structure;
}

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_STRUCTURE_H_
