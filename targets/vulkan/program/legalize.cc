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

// An operation that only a `lower` clause can bring to the device.
const nests::Definition* WithoutNests(const ir::Operation& op) {
  if (ir::IsLoopOp(op)) return nullptr;
  const nests::Definition* definition =
      nests::Library::Global().Find(op.info().dialect, op.info().name);
  return definition != nullptr && definition->build == nullptr ? definition : nullptr;
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
    const nests::Definition* definition = WithoutNests(*op);
    if (definition == nullptr) continue;
    const ir::LoweringInfo* lowering = LoweringOf(op->info());
    if (lowering == nullptr) {
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
