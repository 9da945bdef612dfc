// The runtime on a device of the caller's, amid other work of the caller's on it.
#include <gtest/gtest.h>
#include <vulkan/vulkan.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/file.h"
#include "targets/vulkan/runtime/tessera_vulkan.h"

namespace tessera::vulkan {
namespace {

template <class T>
T Structure(VkStructureType type) {
  T structure = {};
  structure.sType = type;
  return structure;
}

constexpr int64_t kShape[] = {1, 3, 21, 34};
constexpr size_t kElements = 3 * 21 * 34;

// What a program with a renderer has: a device, a queue, memory that it sees.
class OwnDevice : public testing::Test {
 protected:
  void SetUp() override {
    auto application = Structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
    application.apiVersion = VK_API_VERSION_1_2;
    auto info = Structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
    info.pApplicationInfo = &application;
    ASSERT_EQ(vkCreateInstance(&info, nullptr, &instance_), VK_SUCCESS);
    uint32_t count = 1;
    vkEnumeratePhysicalDevices(instance_, &count, &physical_);
    ASSERT_EQ(count, 1u);
    const float priority = 1;
    auto queue = Structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    auto features = Structure<VkPhysicalDeviceVulkan12Features>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    features.timelineSemaphore = VK_TRUE;
    auto device = Structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    device.pNext = &features;
    device.queueCreateInfoCount = 1;
    device.pQueueCreateInfos = &queue;
    ASSERT_EQ(vkCreateDevice(physical_, &device, nullptr, &device_), VK_SUCCESS);
    vkGetDeviceQueue(device_, 0, 0, &queue_);
    auto type = Structure<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    auto semaphore = Structure<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    semaphore.pNext = &type;
    ASSERT_EQ(vkCreateSemaphore(device_, &semaphore, nullptr, &clock_), VK_SUCCESS);
    auto pool = Structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    ASSERT_EQ(vkCreateCommandPool(device_, &pool, nullptr, &pool_), VK_SUCCESS);
    CreateSeen(2 * kElements * sizeof(float));
  }
  void TearDown() override {
    vkDeviceWaitIdle(device_);
    vkDestroyBuffer(device_, seen_, nullptr);
    vkFreeMemory(device_, memory_, nullptr);
    vkDestroyCommandPool(device_, pool_, nullptr);
    vkDestroySemaphore(device_, clock_, nullptr);
    vkDestroyDevice(device_, nullptr);
    // The instance stays: with the last one the driver is unloaded, and what Mesa's for the CPU
    // keeps for the process (128 bytes) looks lost to a check of leaks.
  }

  void CreateSeen(VkDeviceSize bytes) {
    auto info = Structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    ASSERT_EQ(vkCreateBuffer(device_, &info, nullptr, &seen_), VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device_, seen_, &needs);
    VkPhysicalDeviceMemoryProperties kinds;
    vkGetPhysicalDeviceMemoryProperties(physical_, &kinds);
    constexpr VkMemoryPropertyFlags kWanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    auto allocation = Structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    allocation.allocationSize = needs.size;
    while ((needs.memoryTypeBits >> allocation.memoryTypeIndex & 1) == 0 ||
           (kinds.memoryTypes[allocation.memoryTypeIndex].propertyFlags & kWanted) != kWanted)
      ASSERT_LT(++allocation.memoryTypeIndex, kinds.memoryTypeCount);
    ASSERT_EQ(vkAllocateMemory(device_, &allocation, nullptr, &memory_), VK_SUCCESS);
    ASSERT_EQ(vkBindBufferMemory(device_, seen_, memory_, 0), VK_SUCCESS);
    void* mapped = nullptr;
    ASSERT_EQ(vkMapMemory(device_, memory_, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
    mapped_ = static_cast<float*>(mapped);
  }

  // Commands of the caller's, from `wait` to `signal` of its clock.
  void Copy(VkBuffer from, uint64_t at, VkBuffer to, uint64_t to_at, uint64_t wait,
            uint64_t signal) {
    auto allocation =
        Structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    allocation.commandPool = pool_;
    allocation.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    ASSERT_EQ(vkAllocateCommandBuffers(device_, &allocation, &commands), VK_SUCCESS);
    const auto begin =
        Structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    vkBeginCommandBuffer(commands, &begin);
    const VkBufferCopy region = {at, to_at, kElements * sizeof(float)};
    vkCmdCopyBuffer(commands, from, to, 1, &region);
    auto barrier = Structure<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &barrier, 0, nullptr, 0, nullptr);
    vkEndCommandBuffer(commands);
    auto values =
        Structure<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    values.waitSemaphoreValueCount = values.signalSemaphoreValueCount = 1;
    values.pWaitSemaphoreValues = &wait;
    values.pSignalSemaphoreValues = &signal;
    auto submit = Structure<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    submit.pNext = &values;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    submit.waitSemaphoreCount = submit.signalSemaphoreCount = submit.commandBufferCount = 1;
    submit.pWaitSemaphores = submit.pSignalSemaphores = &clock_;
    submit.pWaitDstStageMask = &stage;
    submit.pCommandBuffers = &commands;
    ASSERT_EQ(vkQueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE), VK_SUCCESS);
  }

  void WaitFor(uint64_t value) {
    auto wait = Structure<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
    wait.semaphoreCount = 1;
    wait.pSemaphores = &clock_;
    wait.pValues = &value;
    ASSERT_EQ(vkWaitSemaphores(device_, &wait, ~uint64_t{0}), VK_SUCCESS);
  }

  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkSemaphore clock_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkBuffer seen_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  float* mapped_ = nullptr;
};

// Another device than a part of one names is none that was asked for.
TEST_F(OwnDevice, IsWholeOrNone) {
  for (int missing = 0; missing < 4; ++missing) {
    tvk_device_options options = {};
    if (missing != 0) options.instance = instance_;
    if (missing != 1) options.physical_device = physical_;
    if (missing != 2) options.device = device_;
    if (missing != 3) options.queue = queue_;
    tvk_error error = {};
    tvk_device* const device = tvk_device_open(&options, &error);
    EXPECT_EQ(device, nullptr) << missing;
    EXPECT_EQ(error.code, TVK_INVALID_ARGUMENT) << missing;
    if (device != nullptr) tvk_device_close(device);
  }
}

// Both kinds of memory: such as the host sees, and such as it does not.
TEST_F(OwnDevice, RunsBetweenCommandsOfTheCallers) {
  const std::string file = *support::ReadFile("targets/vulkan/testing/unet.tvk");
  for (const int always_stage : {0, 1}) {
    tvk_device_options options = {};
    options.instance = instance_;
    options.physical_device = physical_;
    options.device = device_;
    options.queue = queue_;
    options.always_stage = always_stage;
    tvk_error error = {};
    tvk_device* device = tvk_device_open(&options, &error);
    ASSERT_NE(device, nullptr) << error.message;
    tvk_model* model = tvk_model_load(device, file.data(), file.size(), nullptr, 0, &error);
    ASSERT_NE(model, nullptr) << error.message;
    const int64_t* shapes[] = {kShape};
    tvk_session* session = tvk_session_create(model, shapes, &error);
    ASSERT_NE(session, nullptr) << error.message;
    ASSERT_EQ(tvk_session_input_bytes(session, 0), kElements * sizeof(float));

    std::vector<float> expected(kElements);
    uint64_t now = 0;
    vkGetSemaphoreCounterValue(device_, clock_, &now);
    for (int run = 0; run < 3; ++run) {
      for (size_t i = 0; i < kElements; ++i)
        mapped_[i] = static_cast<float>((i * 7 + static_cast<size_t>(run)) % 11) / 11;
      const void* inputs[] = {mapped_};
      void* outputs[] = {expected.data()};
      ASSERT_EQ(tvk_session_run(session, inputs, outputs, &error), TVK_OK) << error.message;

      const VkBuffer buffer = tvk_session_buffer(session);
      Copy(seen_, 0, buffer, tvk_session_input_offset(session, 0), now, now + 1);
      const tvk_order order = {clock_, now + 1, clock_, now + 2};
      const tvk_counters before = tvk_device_counters(device);
      ASSERT_EQ(tvk_session_submit(session, &order, &error), TVK_OK) << error.message;
      EXPECT_EQ(tvk_session_submit(session, &order, &error), TVK_INVALID_ARGUMENT);
      Copy(buffer, tvk_session_output_offset(session, 0), seen_, kElements * sizeof(float), now + 2,
           now + 3);
      WaitFor(now + 3);
      ASSERT_EQ(tvk_session_finish(session, nullptr, &error), TVK_OK) << error.message;
      EXPECT_EQ(std::memcmp(mapped_ + kElements, expected.data(), kElements * sizeof(float)), 0);
      // Recorded once.
      EXPECT_EQ(tvk_device_counters(device).recordings, before.recordings + (run == 0 ? 1 : 0));
      EXPECT_EQ(tvk_device_counters(device).allocations, before.allocations);
      now += 3;
    }
    tvk_session_destroy(session);
    tvk_model_unload(model);
    tvk_device_close(device);
  }
}

}  // namespace
}  // namespace tessera::vulkan
