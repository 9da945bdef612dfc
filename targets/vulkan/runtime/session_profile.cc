// What the dispatches of a session take, by the device's clock.
#include <vector>

#include "targets/vulkan/runtime/session.h"
#include "targets/vulkan/runtime/structure.h"

namespace tessera::vulkan {

tvk_dispatch_info Session::dispatch(uint32_t index) const {
  const file::Dispatch& dispatch = *model_.file().dispatches()->Get(index);
  return {dispatch.name()->c_str(), dispatch.location()->c_str(), invocations_[index],
          values_[dispatch.flops()].value_or(-1), values_[dispatch.bytes()].value_or(-1)};
}

Status Session::Profile(const void* const* inputs, void* const* outputs, double* seconds) {
  Device& device = model_.device();
  if (device.clock_bits() == 0)
    return {TVK_UNSUPPORTED, "device `" + device.name() + "` has no clock for what it computes"};
  const uint32_t count = 2 * dispatch_count();
  if (profiled_ == VK_NULL_HANDLE && count > 0) {
    auto info = Structure<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = count;
    if (clocks_ == VK_NULL_HANDLE) {
      if (VkResult result = vkCreateQueryPool(device.handle(), &info, nullptr, &clocks_);
          result != VK_SUCCESS)
        return StatusOf(result, "time stamps");
    }
    if (Status status = RecordInto(profiled_, clocks_); !status.ok()) return status;
  }
  if (Status status = Begin(count > 0 ? profiled_ : commands_, inputs); !status.ok()) return status;
  if (Status status = Finish(outputs); !status.ok()) return status;
  const uint64_t mask =
      device.clock_bits() >= 64 ? ~uint64_t{0} : (uint64_t{1} << device.clock_bits()) - 1;
  for (uint32_t d = 0; d < dispatch_count(); ++d) {
    seconds[d] = 0;
    if (IsIdle(d)) continue;
    uint64_t ticks[2] = {};
    if (VkResult result = vkGetQueryPoolResults(device.handle(), clocks_, 2 * d, 2, sizeof ticks,
                                                ticks, sizeof ticks[0], VK_QUERY_RESULT_64_BIT);
        result != VK_SUCCESS)
      return StatusOf(result, "time stamps");
    const uint64_t passed = (ticks[1] - ticks[0]) & mask;
    seconds[d] = static_cast<double>(passed) * device.limits().timestampPeriod * 1e-9;
  }
  return {};
}

}  // namespace tessera::vulkan
