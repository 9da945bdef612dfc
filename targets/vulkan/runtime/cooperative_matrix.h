// VK_KHR_cooperative_matrix, as far as kernels use it. The headers that are built with are older
// than it: what is declared here is from the extension's text.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_COOPERATIVE_MATRIX_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_COOPERATIVE_MATRIX_H_

#include <vulkan/vulkan.h>

namespace tessera::vulkan {

inline constexpr char kCooperativeMatrixExtension[] = "VK_KHR_cooperative_matrix";

struct CooperativeMatrixFeatures {
  VkStructureType sType = static_cast<VkStructureType>(1000506000);
  void* pNext = nullptr;
  VkBool32 cooperativeMatrix = VK_FALSE;
  VkBool32 cooperativeMatrixRobustBufferAccess = VK_FALSE;
};

// Whether the device multiplies matrices of 16 by 16 f16, with sums of f32, by subgroups of 32
// invocations, and has Vulkan's memory model.
bool HasCooperativeMatrices(VkInstance instance, VkPhysicalDevice device);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_COOPERATIVE_MATRIX_H_
