// The Vulkan target: from a graph of core ops to one that a program is made of.
#ifndef TESSERA_TARGETS_VULKAN_COMPILE_H_
#define TESSERA_TARGETS_VULKAN_COMPILE_H_

#include "passes/pass.h"

namespace tessera::vulkan {

// From core ops, canonicalized, to what
// `LowerToProgram` takes: operations that have nests. Error
// (Unimplemented): all operations that no kernel computes, with their scopes and reasons.
// `least_memory`: what takes less time but more memory is left out.
passes::Pipeline VulkanPipeline(bool least_memory);

// Makes the operators of the dialect and the nests of all known.
void RegisterOperators();

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_COMPILE_H_
