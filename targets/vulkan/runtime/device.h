// A Vulkan device that computes, opened here or brought along.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_DEVICE_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_DEVICE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "targets/vulkan/runtime/status.h"

namespace tessera::vulkan {

// A buffer with memory of its own.
struct Buffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  uint8_t* mapped = nullptr;  // null: the host does not see it
};

// Where a buffer should lie: near the device; likewise, and written by the host; where the host
// reads fast. The last two are always mapped.
enum class Memory { kDevice, kTable, kHost };

class Device {
 public:
  static Status Open(const tvk_device_options& options, std::unique_ptr<Device>& device);
  ~Device();
  Device(const Device&) = delete;

  VkDevice handle() const { return device_; }
  VkQueue queue() const { return queue_; }
  uint32_t queue_family() const { return family_; }
  const std::string& name() const { return name_; }
  // By its name and version, which tell one from another.
  const std::string& driver() const { return driver_; }
  uint32_t features() const { return features_; }
  const VkPhysicalDeviceLimits& limits() const { return limits_; }
  // Whether `cache` begins as what this driver says of its pipelines does: drivers are told nothing
  // that is another's.
  bool MadeCache(std::span<const uint8_t> cache) const;
  // Whether kernels read f32 and f16 as texels, and not from storage buffers. A device that
  // computes on a CPU gathers texels of its lanes at once, and storage one by one.
  bool reads_texels() const { return reads_texels_; }
  // After how many rounds of all its loops together the driver ends those of an invocation without
  // a word; none: it does not.
  std::optional<int64_t> most_steps() const { return most_steps_; }
  // Of the queue's time stamps; 0: it has none.
  uint32_t clock_bits() const { return clock_bits_; }
  tvk_counters& counters() { return counters_; }
  const tvk_counters& counters() const { return counters_; }
  VkCommandPool pool() const { return pool_; }

  // Zero bytes are taken for some. `what` is for messages.
  Status Allocate(VkDeviceSize bytes, Memory memory, const std::string& what, Buffer& buffer);
  void Free(Buffer& buffer);
  // Hands the commands to the queue; the fence says when they have run.
  Status Submit(VkCommandBuffer commands, VkFence fence, const tvk_order& order = {});
  // Waits for the fence and takes it back.
  Status Wait(VkFence fence);

 private:
  Device() = default;
  Status Create(const tvk_device_options& options);
  Status Choose(const tvk_device_options& options);
  Status CreateOwn();
  int MemoryType(uint32_t allowed, VkMemoryPropertyFlags wanted) const;
  // `seen`: whether the host is to see it. -1: none.
  int TypeFor(Memory memory, uint32_t allowed, bool& seen) const;

  bool owned_ = false, always_stage_ = false, reads_texels_ = false, discrete_ = false;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  uint32_t family_ = 0, features_ = 0, clock_bits_ = 0;
  std::string name_, driver_;
  std::optional<int64_t> most_steps_;
  VkPhysicalDeviceLimits limits_ = {};
  uint32_t vendor_ = 0, product_ = 0;
  uint8_t cache_id_[VK_UUID_SIZE] = {};
  VkPhysicalDeviceMemoryProperties memory_ = {};
  tvk_counters counters_ = {};
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_DEVICE_H_
