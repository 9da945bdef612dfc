#include "targets/vulkan/runtime/cooperative_matrix.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "targets/vulkan/runtime/structure.h"

namespace tessera::vulkan {
namespace {

constexpr uint32_t kEntries = 16, kSubgroupSize = 32;
constexpr int32_t kFloat16 = 0, kFloat32 = 1, kOfSubgroup = 3;

struct Properties {
  VkStructureType sType = static_cast<VkStructureType>(1000506001);
  void* pNext = nullptr;
  uint32_t m = 0, n = 0, k = 0;
  int32_t a = 0, b = 0, c = 0, result = 0;
  VkBool32 saturates = VK_FALSE;
  int32_t scope = 0;
};
using ListProperties = VkResult(VKAPI_PTR*)(VkPhysicalDevice, uint32_t*, Properties*);

bool HasExtension(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  return std::any_of(extensions.begin(), extensions.end(), [](const VkExtensionProperties& one) {
    return std::string_view(one.extensionName) == kCooperativeMatrixExtension;
  });
}

}  // namespace

bool HasCooperativeMatrices(VkInstance instance, VkPhysicalDevice device) {
  if (!HasExtension(device)) return false;
  CooperativeMatrixFeatures matrices;
  auto v12 = Structure<VkPhysicalDeviceVulkan12Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  v12.pNext = &matrices;
  auto features =
      Structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  features.pNext = &v12;
  vkGetPhysicalDeviceFeatures2(device, &features);
  auto subgroups = Structure<VkPhysicalDeviceSubgroupProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  auto properties =
      Structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  properties.pNext = &subgroups;
  vkGetPhysicalDeviceProperties2(device, &properties);
  if (matrices.cooperativeMatrix == VK_FALSE || v12.vulkanMemoryModel == VK_FALSE ||
      v12.shaderFloat16 == VK_FALSE || subgroups.subgroupSize != kSubgroupSize)
    return false;
  const auto list = reinterpret_cast<ListProperties>(
      vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  uint32_t count = 0;
  if (list == nullptr || list(device, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<Properties> known(count);
  if (list(device, &count, known.data()) != VK_SUCCESS) return false;
  return std::any_of(known.begin(), known.end(), [](const Properties& one) {
    return one.m == kEntries && one.n == kEntries && one.k == kEntries && one.a == kFloat16 &&
           one.b == kFloat16 && one.c == kFloat32 && one.result == kFloat32 &&
           one.scope == kOfSubgroup;
  });
}

}  // namespace tessera::vulkan
