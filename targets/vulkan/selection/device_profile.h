// What a device can and how long it takes, as far as the choice of kernels asks for it.
#ifndef TESSERA_TARGETS_VULKAN_SELECTION_DEVICE_PROFILE_H_
#define TESSERA_TARGETS_VULKAN_SELECTION_DEVICE_PROFILE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tessera::vulkan {

struct DeviceProfile {
  std::string name;
  int64_t shared_bytes = 0;  // that invocations of a workgroup can share
  int64_t invocations = 0;   // of a workgroup
  int64_t lanes = 0;         // invocations that compute at the same time; fewer leave the rest idle
  // Nanoseconds: of an element that is loaded from a buffer, of a multiplication with its addition,
  // of an element that is read from shared memory; for whole networks, so that what runs at once
  // counts once.
  double load = 0, multiply = 0, exchange = 0;
  // How many invocations of a workgroup keep what computes it busy: of fewer each takes as much
  // more time.
  int64_t busy_workgroup = 1;
  // Of the largest tensor that a kernel can read or write: as much as every device has.
  int64_t binding_bytes = int64_t{1} << 27;
  // After how many rounds of all its loops together the device ends those of an invocation; 0: it
  // does not.
  int64_t steps = 0;
  // Of a multiplication with its addition in a product of matrices of f16 that the device has an
  // instruction for (VK_KHR_cooperative_matrix, docs/vulkan.md); 0: it has none.
  double matrix = 0;
  // Such products are computed by ordinary arithmetic, so that any device can run the kernels that
  // have them: for tests.
  bool imitates_matrices = false;
};

// `device NAME` or `device NAME like OTHER`, which has what OTHER has but for the lines below it;
// each of these is the name of a number above (`matrix`, `steps`, `busy_workgroup` and
// `binding_bytes` may be left out), and that. `//` begins a comment. All of `known`, and those of
// the text behind them. Error (InvalidArgument): with the line.
absl::StatusOr<std::vector<DeviceProfile>> ParseProfiles(std::string_view text,
                                                         std::vector<DeviceProfile> known = {});

// What is compiled for unless another device is named: what every one can.
inline constexpr char kPortableProfile[] = "portable";

// Those that the target knows (targets/vulkan/devices).
const std::vector<DeviceProfile>& KnownProfiles();

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_SELECTION_DEVICE_PROFILE_H_
