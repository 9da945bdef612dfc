// The Vulkan target: from a graph of core ops to one that a program is made of.
#ifndef TESSERA_TARGETS_VULKAN_COMPILE_H_
#define TESSERA_TARGETS_VULKAN_COMPILE_H_

#include <cstdint>

#include "passes/pass.h"

namespace tessera::vulkan {

// What ways to compute an operation in less time and more memory are measured by.
struct MemoryPreference {
  bool least = false;         // they are left out
  int64_t binding_bytes = 0;  // the most that the device binds as one tensor (device_profile.h)
};

// From core ops, canonicalized, to what
// `LowerToProgram` takes: operations that have nests. Error
// (Unimplemented): all operations that no kernel computes, with their scopes and reasons.
passes::Pipeline VulkanPipeline(const MemoryPreference& memory);

// Makes the operators of the dialect and the nests of all known.
void RegisterOperators();

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_COMPILE_H_
