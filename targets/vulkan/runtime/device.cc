#include "targets/vulkan/runtime/device.h"

#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <vector>

#include "targets/vulkan/runtime/cooperative_matrix.h"
#include "targets/vulkan/runtime/structure.h"

namespace tessera::vulkan {
namespace {

// The features of a device, asked for and turned on by one chain of structures.
struct FeatureChain {
  VkPhysicalDeviceFeatures2 core =
      Structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  VkPhysicalDeviceVulkan11Features v11 = Structure<VkPhysicalDeviceVulkan11Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
  VkPhysicalDeviceVulkan12Features v12 = Structure<VkPhysicalDeviceVulkan12Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  CooperativeMatrixFeatures matrices;  // in the chain of devices that have them
  FeatureChain() {
    core.pNext = &v11;
    v11.pNext = &v12;
  }
  FeatureChain(const FeatureChain&) = delete;
};

uint32_t BitsOf(const FeatureChain& chain) {
  const auto bit = [](VkBool32 on, uint32_t feature) { return on == VK_TRUE ? feature : 0; };
  return bit(chain.v12.shaderInt8, TVK_INT8) | bit(chain.core.features.shaderInt16, TVK_INT16) |
         bit(chain.core.features.shaderInt64, TVK_INT64) |
         bit(chain.v12.shaderFloat16, TVK_FLOAT16) |
         bit(chain.core.features.shaderFloat64, TVK_FLOAT64) |
         bit(chain.v12.storageBuffer8BitAccess, TVK_STORAGE8) |
         bit(chain.v11.storageBuffer16BitAccess, TVK_STORAGE16) |
         bit(chain.matrices.cooperativeMatrix, TVK_COOPERATIVE_MATRIX);
}

// GPUs before what imitates one.
int RankOf(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    default:
      return 3;
  }
}

std::vector<VkQueueFamilyProperties> FamiliesOf(VkPhysicalDevice device) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  return families;
}

// A family of queues that compute; -1: none.
int ComputeFamily(VkPhysicalDevice device) {
  const std::vector<VkQueueFamilyProperties> families = FamiliesOf(device);
  for (size_t i = 0; i < families.size(); ++i) {
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return static_cast<int>(i);
  }
  return -1;
}

// One for all devices of the process, which stays: some drivers take each time they are loaded of
// what a process has only so much of, the room for what threads have of their own.
VkResult SharedInstance(VkInstance& instance) {
  static std::mutex mutex;
  static VkInstance shared = VK_NULL_HANDLE;
  const std::lock_guard<std::mutex> lock(mutex);
  VkResult result = VK_SUCCESS;
  if (shared == VK_NULL_HANDLE) {
    auto application = Structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
    application.pApplicationName = "tessera";
    application.apiVersion = VK_API_VERSION_1_2;
    auto info = Structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
    info.pApplicationInfo = &application;
    result = vkCreateInstance(&info, nullptr, &shared);
    if (result != VK_SUCCESS) shared = VK_NULL_HANDLE;
  }
  instance = shared;
  return result;
}

}  // namespace

Status Device::Open(const tvk_device_options& options, std::unique_ptr<Device>& device) {
  std::unique_ptr<Device> opened(new Device());
  Status status = opened->Create(options);
  if (status.ok()) device = std::move(opened);
  return status;
}

Status Device::Create(const tvk_device_options& options) {
  always_stage_ = options.always_stage != 0;
  const int given = (options.instance != VK_NULL_HANDLE ? 1 : 0) +
                    (options.physical_device != VK_NULL_HANDLE ? 1 : 0) +
                    (options.device != VK_NULL_HANDLE ? 1 : 0) +
                    (options.queue != VK_NULL_HANDLE ? 1 : 0);
  if (given != 0 && given != 4)
    return {TVK_INVALID_ARGUMENT,
            "a device of the caller's is all of its instance, physical device, device and queue"};
  if (given != 0) {
    instance_ = options.instance;
    physical_ = options.physical_device;
    device_ = options.device;
    queue_ = options.queue;
    family_ = options.queue_family;
    features_ = options.features;
  } else {
    owned_ = true;
    if (VkResult result = SharedInstance(instance_); result != VK_SUCCESS)
      return StatusOf(result, "Vulkan cannot be started");
    if (Status status = Choose(options); !status.ok()) return status;
    if (Status status = CreateOwn(); !status.ok()) return status;
  }
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(physical_, &properties);
  name_ = properties.deviceName;
  auto driver = Structure<VkPhysicalDeviceDriverProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  auto more =
      Structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  more.pNext = &driver;
  vkGetPhysicalDeviceProperties2(physical_, &more);
  driver_ = std::string(driver.driverName) + " " + driver.driverInfo + " " +
            std::to_string(properties.driverVersion);
  // Mesa's shaders on a CPU count the rounds of all loops, and leave each at this one
  // (LP_MAX_TGSI_LOOP_ITERATIONS).
  if (driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE) most_steps_ = 65535;
  limits_ = properties.limits;
  vendor_ = properties.vendorID;
  product_ = properties.deviceID;
  discrete_ = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  std::memcpy(cache_id_, properties.pipelineCacheUUID, VK_UUID_SIZE);
  // Where every storage buffer is no longer than texels can be.
  reads_texels_ = options.no_texels == 0 && properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU &&
                  uint64_t{limits_.maxTexelBufferElements} * 2 >= limits_.maxStorageBufferRange;
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory_);
  const std::vector<VkQueueFamilyProperties> families = FamiliesOf(physical_);
  if (family_ < families.size()) clock_bits_ = families[family_].timestampValidBits;
  auto pool = Structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.queueFamilyIndex = family_;
  return StatusOf(vkCreateCommandPool(device_, &pool, nullptr, &pool_), "a command pool");
}

Status Device::Choose(const tvk_device_options& options) {
  uint32_t count = 0;
  vkEnumeratePhysicalDevices(instance_, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  vkEnumeratePhysicalDevices(instance_, &count, devices.data());
  std::string names;
  int best = 4;
  for (VkPhysicalDevice device : devices) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device, &properties);
    const std::string name = properties.deviceName;
    names += (names.empty() ? "`" : ", `") + name + "`";
    if (options.name != nullptr && name.find(options.name) == std::string::npos) continue;
    if (properties.apiVersion < VK_API_VERSION_1_2 || ComputeFamily(device) < 0) continue;
    const int rank = RankOf(properties.deviceType);
    if (rank >= best) continue;
    best = rank;
    physical_ = device;
  }
  if (physical_ != VK_NULL_HANDLE) return {};
  return {TVK_NO_DEVICE, devices.empty()
                             ? "there is no Vulkan device"
                             : "no Vulkan device fits (Vulkan 1.2, a queue that computes" +
                                   (options.name == nullptr
                                        ? std::string()
                                        : ", a name with `" + std::string(options.name) + "`") +
                                   "); there is " + names};
}

Status Device::CreateOwn() {
  family_ = static_cast<uint32_t>(ComputeFamily(physical_));
  FeatureChain has, wanted;
  vkGetPhysicalDeviceFeatures2(physical_, &has.core);
  wanted.core.features.shaderInt16 = has.core.features.shaderInt16;
  wanted.core.features.shaderInt64 = has.core.features.shaderInt64;
  wanted.core.features.shaderFloat64 = has.core.features.shaderFloat64;
  wanted.v11.storageBuffer16BitAccess = has.v11.storageBuffer16BitAccess;
  wanted.v12.storageBuffer8BitAccess = has.v12.storageBuffer8BitAccess;
  wanted.v12.timelineSemaphore = VK_TRUE;  // of every device with Vulkan 1.2
  wanted.v12.shaderInt8 = has.v12.shaderInt8;
  wanted.v12.shaderFloat16 = has.v12.shaderFloat16;
  std::vector<const char*> extensions;
  if (HasCooperativeMatrices(instance_, physical_)) {
    extensions.push_back(kCooperativeMatrixExtension);
    wanted.matrices.cooperativeMatrix = VK_TRUE;
    wanted.v12.vulkanMemoryModel = VK_TRUE;
    wanted.v12.pNext = &wanted.matrices;
  }
  features_ = BitsOf(wanted);
  const float priority = 1;
  auto queue = Structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto info = Structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &wanted.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  if (VkResult result = vkCreateDevice(physical_, &info, nullptr, &device_); result != VK_SUCCESS)
    return StatusOf(result, "a Vulkan device cannot be opened");
  vkGetDeviceQueue(device_, family_, 0, &queue_);
  return {};
}

Device::~Device() {
  if (pool_ != VK_NULL_HANDLE) vkDestroyCommandPool(device_, pool_, nullptr);
  if (!owned_) return;
  if (device_ != VK_NULL_HANDLE) vkDestroyDevice(device_, nullptr);
}

int Device::MemoryType(uint32_t allowed, VkMemoryPropertyFlags wanted) const {
  for (uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
    if ((allowed & (1u << i)) != 0 && (memory_.memoryTypes[i].propertyFlags & wanted) == wanted)
      return static_cast<int>(i);
  }
  return -1;
}

int Device::TypeFor(Memory memory, uint32_t allowed, bool& seen) const {
  constexpr VkMemoryPropertyFlags kNear = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                  kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                                  kSeen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  std::vector<VkMemoryPropertyFlags> kinds;
  if (memory == Memory::kHost) kinds = {kSeen | kCached, kSeen};
  if (memory == Memory::kTable) kinds = {kNear | kSeen, kSeen};
  // A host that reads a card's memory does so a word at a time, a hundred times as slowly as it is
  // copied: there it is not read.
  if (memory == Memory::kDevice && !always_stage_) {
    kinds = {kNear | kSeen | kCached};
    if (!discrete_) kinds.push_back(kNear | kSeen);
  }
  for (VkMemoryPropertyFlags kind : kinds) {
    if (const int type = MemoryType(allowed, kind); type >= 0) return type;
  }
  seen = false;
  return memory == Memory::kDevice ? MemoryType(allowed, kNear) : -1;
}

Status Device::Allocate(VkDeviceSize bytes, Memory memory, const std::string& what,
                        Buffer& buffer) {
  const std::string text = what + " of " + std::to_string(bytes) + " bytes";
  auto info = Structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = std::max<VkDeviceSize>(bytes, 16);
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
               VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  if (VkResult result = vkCreateBuffer(device_, &info, nullptr, &buffer.buffer);
      result != VK_SUCCESS)
    return StatusOf(result, text);
  buffer.size = info.size;
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device_, buffer.buffer, &needs);
  bool seen = true;
  const int type = TypeFor(memory, needs.memoryTypeBits, seen);
  if (type < 0) return {TVK_UNSUPPORTED, text + ": the device has no memory of that kind"};
  auto allocation = Structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = static_cast<uint32_t>(type);
  if (VkResult result = vkAllocateMemory(device_, &allocation, nullptr, &buffer.memory);
      result != VK_SUCCESS)
    return StatusOf(result, text);
  ++counters_.allocations;
  if (VkResult result = vkBindBufferMemory(device_, buffer.buffer, buffer.memory, 0);
      result != VK_SUCCESS)
    return StatusOf(result, text);
  void* mapped = nullptr;
  if (seen) {
    if (VkResult result = vkMapMemory(device_, buffer.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
        result != VK_SUCCESS)
      return StatusOf(result, text);
  }
  buffer.mapped = static_cast<uint8_t*>(mapped);
  return {};
}

void Device::Free(Buffer& buffer) {
  if (buffer.buffer != VK_NULL_HANDLE) vkDestroyBuffer(device_, buffer.buffer, nullptr);
  if (buffer.memory != VK_NULL_HANDLE) vkFreeMemory(device_, buffer.memory, nullptr);
  buffer = {};
}

bool Device::MadeCache(std::span<const uint8_t> cache) const {
  VkPipelineCacheHeaderVersionOne header;
  if (cache.size() < sizeof header) return false;
  std::memcpy(&header, cache.data(), sizeof header);
  return header.headerSize >= sizeof header && header.headerSize <= cache.size() &&
         header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         header.vendorID == vendor_ && header.deviceID == product_ &&
         std::memcmp(header.pipelineCacheUUID, cache_id_, VK_UUID_SIZE) == 0;
}

Status Device::Submit(VkCommandBuffer commands, VkFence fence, const tvk_order& order) {
  auto submit = Structure<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  auto values =
      Structure<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  if (order.wait != VK_NULL_HANDLE) {
    submit.waitSemaphoreCount = values.waitSemaphoreValueCount = 1;
    submit.pWaitSemaphores = &order.wait;
    submit.pWaitDstStageMask = &all;
    values.pWaitSemaphoreValues = &order.wait_value;
  }
  if (order.signal != VK_NULL_HANDLE) {
    submit.signalSemaphoreCount = values.signalSemaphoreValueCount = 1;
    submit.pSignalSemaphores = &order.signal;
    values.pSignalSemaphoreValues = &order.signal_value;
  }
  if (submit.waitSemaphoreCount + submit.signalSemaphoreCount > 0) submit.pNext = &values;
  ++counters_.submissions;
  return StatusOf(vkQueueSubmit(queue_, 1, &submit, fence), "a run");
}

Status Device::Wait(VkFence fence) {
  VkResult result = vkWaitForFences(device_, 1, &fence, VK_TRUE, ~uint64_t{0});
  if (result == VK_SUCCESS) result = vkResetFences(device_, 1, &fence);
  return StatusOf(result, "a run");
}

}  // namespace tessera::vulkan
