// Which kernel computes a stage, by what was measured.
#ifndef TESSERA_TARGETS_VULKAN_TUNING_CHOOSE_H_
#define TESSERA_TARGETS_VULKAN_TUNING_CHOOSE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/vulkan/program/program.h"
#include "targets/vulkan/tuning/database.h"
#include "targets/vulkan/tuning/variants.h"

namespace tessera::vulkan {

// The key of a kernel in a database.
std::string KernelKey(const std::string& glsl);

// The only device of the database, or the one whose name has `part`. Error (InvalidArgument): none,
// or several; names them.
absl::StatusOr<DeviceName> DeviceOf(const TuneDatabase& database, std::string_view part);

// Before ChooseShaders(), which it settles stages for: where a shader that computes several stages
// was measured, and so were kernels for each of these alone, it takes their place if it took less
// time than the best of those together, at the sizes at which all were measured. Stages that are
// no more are empty (DropEmptyStages).
struct Settled {
  std::vector<bool> apart;  // by stage: no shader takes others with it
  size_t together = 0;      // stages that such a shader computes
};
absl::StatusOr<Settled> ChooseSeveral(Program& program, const UsesByStage& shaders,
                                      const TuneDatabase& database, const DeviceName& device);

// Gives each stage the variant whose kernel took the least time in all, over the sizes at which all
// of those were measured that were at any. Returns how many stages had such times; the others stay
// as they are. Error: a kernel that cannot be made.
absl::StatusOr<size_t> ChooseKernels(Program& program, const UsesByStage& shaders,
                                     const TuneDatabase& database, const DeviceName& device);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_TUNING_CHOOSE_H_
