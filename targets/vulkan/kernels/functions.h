// Functions that kernels call and GLSL does not have, or has with other values for NaN, zeros and
// negative numbers than the op language (docs/op-language.md).
#ifndef TESSERA_TARGETS_VULKAN_KERNELS_FUNCTIONS_H_
#define TESSERA_TARGETS_VULKAN_KERNELS_FUNCTIONS_H_

#include <string>
#include <string_view>

namespace tessera::vulkan {

// The definitions of those functions that `body` calls, and of what these call.
std::string FunctionsFor(std::string_view body);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_KERNELS_FUNCTIONS_H_
