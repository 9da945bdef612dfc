#include "targets/circle/lowering/sink_reshapes.h"

#include <utility>
#include <vector>

#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "passes/replace_results.h"

namespace tessera::circle {
namespace {

using ir::Operation;

// The operand that is to lose its reshape; -1 if there is none.
int Reshaped(const Operation& op) {
  if (!op.info().elementwise || op.results().size() != 1) return -1;
  int found = -1;
  for (size_t i = 0; i < op.operands().size(); ++i) {
    const ir::Value* operand = op.operand(i);
    if (operand == nullptr) continue;
    if (const ir::Tensor* tensor = operand->constant()) {
      // Of lower rank, so that it does not bring axes of its own.
      if (tensor->size() != 1 || tensor->rank() > 1) return -1;
      continue;
    }
    if (found >= 0) return -1;
    found = static_cast<int>(i);
  }
  if (found < 0) return -1;
  const ir::Value* operand = op.operand(static_cast<size_t>(found));
  const Operation* producer = operand->producer();
  const bool sinks = producer != nullptr && producer->info().role == ir::Role::kReshape &&
                     ir::UseCount(operand) == 1 &&
                     operand->type().dims == op.result()->type().dims &&
                     producer->operand(0)->type().rank() > 0;
  return sinks ? found : -1;
}

}  // namespace

absl::StatusOr<passes::PassResult> SinkReshapes(ir::Graph& graph, passes::PassContext& context) {
  passes::PassResult result;
  ir::Rewriter rewriter(graph);
  for (Operation* op : graph.TopologicalOrder()) {
    if (context.rewrites_left <= 0) break;
    const int index = Reshaped(*op);
    if (index < 0) continue;
    Operation* reshape = op->operand(static_cast<size_t>(index))->producer();
    std::vector<ir::Value*> operands(op->operands().begin(), op->operands().end());
    operands[static_cast<size_t>(index)] = reshape->operand(0);
    rewriter.SetInsertionPoint(op);
    rewriter.SetLocation(op->location());
    absl::StatusOr<Operation*> inner =
        rewriter.Create(op->info(), std::move(operands), {op->attrs().begin(), op->attrs().end()});
    if (!inner.ok()) return inner.status();
    std::vector<ir::Value*> shaped(reshape->operands().begin(), reshape->operands().end());
    shaped[0] = (*inner)->result();
    rewriter.SetLocation(reshape->location());
    absl::StatusOr<Operation*> outer = rewriter.Create(
        reshape->info(), std::move(shaped), {reshape->attrs().begin(), reshape->attrs().end()});
    if (!outer.ok()) return outer.status();
    rewriter.SetName((*outer)->result(), op->result()->name());
    if (absl::Status status = passes::ReplaceResults(rewriter, *op, {(*outer)->result()});
        !status.ok())
      return status;
    ++result.rewrites;
    --context.rewrites_left;
  }
  result.changed = result.rewrites > 0;
  return result;
}

}  // namespace tessera::circle
