// GLSL to SPIR-V, in this process: compiled, optimized, validated.
#ifndef TESSERA_TARGETS_VULKAN_SHADER_COMPILE_H_
#define TESSERA_TARGETS_VULKAN_SHADER_COMPILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::vulkan {

// A compute shader of Vulkan 1.2, entry point `main`. Errors are Internal, with the source: kernels
// are of our own making.
absl::StatusOr<std::vector<uint32_t>> CompileShader(const std::string& glsl);

// InvalidArgument, with the validator's message.
absl::Status ValidateSpirv(absl::Span<const uint32_t> code);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_SHADER_COMPILE_H_
