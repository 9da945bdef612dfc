// Types of cooperative matrices in SPIR-V (SPV_KHR_cooperative_matrix).
#ifndef TESSERA_TARGETS_VULKAN_SHADER_MATRIX_TYPES_H_
#define TESSERA_TARGETS_VULKAN_SHADER_MATRIX_TYPES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::vulkan {

bool HasMatrices(absl::Span<const uint32_t> code);

// GLSL of the front end that is built in can say of such a type only numbers, so that in the place
// of the type of its entries stands a constant, the width of floats. Puts the type there, and types
// of floats before all others. Error (Internal): there is no such constant or type.
absl::StatusOr<std::vector<uint32_t>> WithMatrixTypes(absl::Span<const uint32_t> code);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_SHADER_MATRIX_TYPES_H_
