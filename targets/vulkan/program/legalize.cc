#include "targets/vulkan/program/legalize.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/loops.h"
#include "nests/library.h"
#include "passes/lower.h"

namespace tessera::vulkan {
namespace {

constexpr std::string_view kTarget = "vulkan";

// Null: it is none of a dialect with nests.
const nests::Definition* DefinitionOf(const ir::Operation& op) {
  if (ir::IsLoopOp(op)) return nullptr;
  return nests::Library::Global().Find(op.info().dialect, op.info().name);
}

bool HasLowering(const ir::OpInfo& info) {
  return std::any_of(info.lowerings.begin(), info.lowerings.end(),
                     [](const ir::LoweringInfo& lowering) { return lowering.target == kTarget; });
}

}  // namespace

std::string RefusalOf(const ir::Operation& op, std::string_view reason) {
  return absl::StrCat("`", std::string(op.info().name), "` at `", op.location().ToString(),
                      "`: ", std::string(reason));
}

absl::Status Refused(const std::vector<std::string>& refusals) {
  if (refusals.empty()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(refusals.size(),
                                               " operation(s) that no kernel computes:\n  ",
                                               absl::StrJoin(refusals, "\n  ")));
}

absl::Status Legalize(ir::Graph& graph, passes::PassContext& context,
                      std::vector<std::string>& refusals, const ir::Capabilities* capabilities) {
  // A `lower` clause goes first, for it knows of cases with simpler nests; without one, or where it
  // has no form either, the operation's own nests are taken.
  std::vector<passes::Refusal> unlowered;
  absl::Status status = passes::LowerOnce(
      graph, kTarget,
      [](const ir::Operation& op) { return DefinitionOf(op) != nullptr && HasLowering(op.info()); },
      context, unlowered, capabilities);
  if (!status.ok()) return status;
  absl::flat_hash_map<int, std::string> reasons;  // by operation
  for (passes::Refusal& refusal : unlowered) reasons[refusal.id] = std::move(refusal.reason);
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    const nests::Definition* definition = DefinitionOf(*op);
    if (definition == nullptr || definition->build != nullptr) continue;
    const auto reason = reasons.find(op->id());
    refusals.push_back(RefusalOf(
        *op, reason != reasons.end()
                 ? reason->second
                 : absl::StrCat("it has no nests (", std::string(definition->missing), ")")));
  }
  return absl::OkStatus();
}

}  // namespace tessera::vulkan
