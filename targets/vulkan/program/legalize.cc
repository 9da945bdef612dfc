#include "targets/vulkan/program/legalize.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/loops.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "nests/library.h"
#include "passes/replace_results.h"

namespace tessera::vulkan {
namespace {

constexpr std::string_view kTarget = "vulkan";

// Null: it is none of a dialect with nests.
const nests::Definition* DefinitionOf(const ir::Operation& op) {
  if (ir::IsLoopOp(op)) return nullptr;
  return nests::Library::Global().Find(op.info().dialect, op.info().name);
}

const ir::LoweringInfo* LoweringOf(const ir::OpInfo& info) {
  for (const ir::LoweringInfo& lowering : info.lowerings) {
    if (lowering.target == kTarget) return &lowering;
  }
  return nullptr;
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

absl::Status Legalize(ir::Graph& graph, std::vector<std::string>& refusals) {
  ir::Rewriter rewriter(graph);
  ir::TermBuilder builder(rewriter);
  for (ir::Operation* op : graph.TopologicalOrder()) {
    const nests::Definition* definition = DefinitionOf(*op);
    if (definition == nullptr) continue;
    // A `lower` clause goes first, for it knows of cases with simpler nests; without one, or where
    // it has no form either, the operation's own nests are taken.
    const bool has_nests = definition->build != nullptr;
    const ir::LoweringInfo* lowering = LoweringOf(op->info());
    if (lowering == nullptr) {
      if (has_nests) continue;
      refusals.push_back(
          RefusalOf(*op, absl::StrCat("it has no nests (", std::string(definition->missing), ")")));
      continue;
    }
    builder.Reset();
    rewriter.SetInsertionPoint(op);
    rewriter.SetLocation(op->location());
    const std::vector<ir::Value*> values = lowering->apply(*op, builder);
    if (!builder.ok() && !absl::IsUnimplemented(builder.status()))
      return absl::InternalError(absl::StrCat(
          "the lowering of ", RefusalOf(*op, std::string(builder.status().message()))));
    if (!builder.ok() || !builder.refusal().empty()) {
      if (has_nests) continue;
      refusals.push_back(RefusalOf(
          *op, builder.ok() ? builder.refusal() : std::string(builder.status().message())));
      continue;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i]->name().empty()) rewriter.SetName(values[i], op->results()[i]->name());
    }
    if (absl::Status status = passes::ReplaceResults(rewriter, *op, values); !status.ok())
      return status;
  }
  rewriter.EraseUnused();
  return absl::OkStatus();
}

}  // namespace tessera::vulkan
