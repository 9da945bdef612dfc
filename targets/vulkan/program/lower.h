// From a graph of core ops to a program, by the nests of their definitions.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_LOWER_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_LOWER_H_

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {

// Tensors and stages in the order of the graph, nothing fused. The graph's context gets symbols for
// axes. Error (Unimplemented): all operations that have no nests, with scopes and reasons.
absl::StatusOr<Program> LowerToProgram(ir::Graph& graph, Axes& axes);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_LOWER_H_
