// Kernels that are written by hand, where they take less time than those that are printed.
#ifndef TESSERA_TARGETS_VULKAN_SELECTION_SHADERS_H_
#define TESSERA_TARGETS_VULKAN_SELECTION_SHADERS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "codegen/support/shader.h"
#include "solver/expr.h"
#include "targets/vulkan/program/links.h"
#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/rewrite.h"
#include "targets/vulkan/selection/device_profile.h"

namespace tessera::vulkan {

// All that definitions have (targets/vulkan/ops).
absl::Span<const ir::Shader> KnownShaders();

// Every shader that computes the stage, alone or with stages before it, with every choice of
// constants that the device can run, in the order of definitions and of their values. `links` are
// those of the program.
std::vector<ShaderUse> ShaderUses(const Program& program, const Links& links, size_t stage,
                                  Axes& axes, const DeviceProfile& profile);

// Gives each stage the kernel that takes the least time by the device's profile, at sizes of about
// 256; of equal ones the printed one. With `least_memory` a kernel for several stages is taken
// whatever it costs: what lies between them is in no memory then. A stage of which `apart` says so
// takes no other with it (none: all may). Stages that have become a part of another are dropped.
// Returns how many are written by hand.
size_t ChooseShaders(Program& program, Axes& axes, const solver::Context& context,
                     const DeviceProfile& profile, bool least_memory,
                     const std::vector<bool>& apart = {});

// Where stages that reduce rows and one that reads what they found take less time as one kernel, as
// softmax and normalizations do on devices whose invocations wait for one another at little cost,
// they become one, and those that have become a part of it are dropped. Returns how many there are.
size_t ChooseRows(Program& program, const solver::Context& context, const DeviceProfile& profile);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_SELECTION_SHADERS_H_
