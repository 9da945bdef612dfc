// How long kernels take on a device, by what they load and multiply.
#ifndef TESSERA_TARGETS_VULKAN_SELECTION_TIMES_H_
#define TESSERA_TARGETS_VULKAN_SELECTION_TIMES_H_

#include <optional>

#include "solver/expr.h"
#include "targets/vulkan/program/program.h"
#include "targets/vulkan/selection/device_profile.h"

namespace tessera::vulkan {

// In nanoseconds, at these sizes; what is computed around the reduction of `use` is left out, which
// is the same of both. Nothing: a size is not known.
std::optional<double> ShaderTime(const ShaderUse& use, const DeviceProfile& profile,
                                 const solver::Assignment& sizes);
// Of the kernel that is printed from the stage, one nest with at most one reduction.
std::optional<double> PrintedTime(const Stage& stage, const DeviceProfile& profile,
                                  const solver::Assignment& sizes);
// Of the kernel of a stage by rows.
std::optional<double> RowsTime(const Stage& stage, const DeviceProfile& profile,
                               const solver::Assignment& sizes);

// Sizes of about 256, at which times are compared.
solver::Assignment UsualSizes(const Program& program, const solver::Context& context);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_SELECTION_TIMES_H_
