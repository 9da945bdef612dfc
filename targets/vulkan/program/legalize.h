// What has no nests, in terms of operations that have.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_LEGALIZE_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_LEGALIZE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/capabilities.h"
#include "ir/graph.h"
#include "passes/pass.h"

namespace tessera::vulkan {

// Replaces operations without nests by what their definitions say under `lower vulkan`. Those that
// say nothing, and those whose clause refuses, are listed: name, scope, reason. `capabilities`
// answer what guards ask with `runs`; without them everything is held.
absl::Status Legalize(ir::Graph& graph, passes::PassContext& context,
                      std::vector<std::string>& refusals,
                      const ir::Capabilities* capabilities = nullptr);

// Unimplemented, with all of them.
absl::Status Refused(const std::vector<std::string>& refusals);

// The line of a refusal.
std::string RefusalOf(const ir::Operation& op, std::string_view reason);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_LEGALIZE_H_
