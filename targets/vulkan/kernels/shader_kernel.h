// The kernel of a stage by a shader that is written by hand.
#ifndef TESSERA_TARGETS_VULKAN_KERNELS_SHADER_KERNEL_H_
#define TESSERA_TARGETS_VULKAN_KERNELS_SHADER_KERNEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/vulkan/kernels/kernel.h"
#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// Of stage.shader. What the shader is given (docs/vulkan.md, "A kernel written by hand"): its
// constants and WORKGROUP, the sizes of its definition, where the workgroup's tile begins, and a
// function for each operand and for the result. These functions alone touch buffers: outside of the
// definition's sizes they load 0 and store nothing. So a shader may compute what is wrong, which
// its test shows, and cannot reach beyond a tensor. Error: as KernelOf.
absl::StatusOr<KernelText> ShaderKernelOf(const Program& program, const Stage& stage);

// The shader and its constants, e.g. `TILED_MATMUL TILE_M=64`.
std::string NameOf(const ShaderUse& use);

// By what its definition says, with the constants that `use` has.
int64_t WorkgroupOf(const ShaderUse& use);
int64_t SharedBytesOf(const ShaderUse& use);
std::vector<int64_t> TileOf(const ShaderUse& use);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_KERNELS_SHADER_KERNEL_H_
