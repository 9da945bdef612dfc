// Neighbouring entries of an axis that is not the last one: a choice of them stands between two
// transpositions, a part takes any order of axes, so that both may go.
#include <vector>

#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/movement.h"

namespace tessera::npu {
namespace {

// Whether each is the next one of that before it, the first being no less than 0.
bool AreNeighbours(const ir::Tensor& entries) {
  for (int64_t i = 0; i < entries.size(); ++i) {
    if (entries.AsDouble(i) < 0 ||
        entries.AsDouble(i) != entries.AsDouble(0) + static_cast<double>(i))
      return false;
  }
  return entries.size() > 0;
}

}  // namespace

absl::StatusOr<passes::PassResult> PartNeighbours(ir::Graph& graph, passes::PassContext&) {
  passes::PassResult result;
  ir::Rewriter rewriter(graph);
  for (ir::Operation* op : graph.TopologicalOrder()) {
    if (StepOf(*op) != Step::kPicked) continue;
    const ir::Operation* before = op->operand(0)->producer();
    const ir::Tensor* entries = op->operand(1)->constant();
    if (before == nullptr || before->info().role != ir::Role::kTranspose || entries == nullptr ||
        !AreNeighbours(*entries))
      continue;
    std::vector<ir::Expr> sizes = op->result()->type().dims, starts(sizes.size(), ir::Expr(0));
    starts.back() = static_cast<int64_t>(entries->AsDouble(0));
    rewriter.SetInsertionPoint(op);
    rewriter.SetLocation(op->location());
    ir::TermBuilder builder(rewriter);
    const std::vector<ir::Value*> part =
        builder.Create(kDialect, NameOf(Step::kPart), {op->operand(0)},
                       {{"starts", ir::Attribute(starts)}, {"sizes", ir::Attribute(sizes)}});
    if (!builder.ok()) return builder.status();
    if (absl::Status status = rewriter.Replace(op, part); !status.ok()) return status;
    result.changed = true;
    ++result.rewrites;
  }
  if (result.changed) rewriter.EraseUnused();
  return result;
}

}  // namespace tessera::npu
