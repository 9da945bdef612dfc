#include "targets/vulkan/runtime/status.h"

namespace tessera::vulkan {

Status StatusOf(VkResult result, const std::string& what) {
  switch (result) {
    case VK_SUCCESS:
      return {};
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return {TVK_OUT_OF_MEMORY, what + ": the host is out of memory"};
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return {TVK_OUT_OF_MEMORY, what + ": the device is out of memory"};
    case VK_ERROR_DEVICE_LOST:
      return {TVK_DEVICE_LOST, what + ": the device was lost"};
    case VK_ERROR_INITIALIZATION_FAILED:
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return {TVK_NO_DEVICE,
              what +
                  ": there is no usable Vulkan driver; one for the CPU is in Debian's "
                  "package mesa-vulkan-drivers"};
    default:
      return {TVK_VULKAN_ERROR, what + ": VkResult " + std::to_string(result)};
  }
}

}  // namespace tessera::vulkan
