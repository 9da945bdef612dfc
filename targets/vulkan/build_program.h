// From a graph to the program whose stages are its dispatches.
#ifndef TESSERA_TARGETS_VULKAN_BUILD_PROGRAM_H_
#define TESSERA_TARGETS_VULKAN_BUILD_PROGRAM_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "targets/vulkan/artifact/emit.h"
#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/reach.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {

// Lowered, fused, reductions of more than `most_steps` terms by stages (0: any), and stored in 16
// bits if `half`; `parts` gets the sizes along which inputs may be
// run part by part, if it has a limit. Errors (Unimplemented): what has no nests, or cannot be run
// by parts.
absl::StatusOr<Program> ProgramOf(ir::Graph& graph, Axes& axes, bool half, int64_t most_steps,
                                  Parts& parts);

std::string PartsText(const Reach& reach);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_BUILD_PROGRAM_H_
