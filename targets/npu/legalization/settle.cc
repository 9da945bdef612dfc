#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "layout/permutation.h"
#include "targets/npu/legalization/movement.h"

namespace tessera::npu {
namespace {

// What stands for a transposition; null: it stays.
absl::StatusOr<ir::Value*> Settled(const ir::Operation& op, ir::Rewriter& rewriter) {
  std::optional<layout::Permutation> order = layout::PermutationOf(&op);
  if (!order.has_value()) return nullptr;
  ir::Value* x = op.operand(0);
  while (x->producer() != nullptr) {
    const auto before = layout::PermutationOf(x->producer());
    if (!before.has_value()) break;
    order = layout::Then(*before, *order);
    x = x->producer()->operand(0);
  }
  if (layout::IsIdentity(*order)) return x;
  rewriter.SetLocation(op.location());
  absl::StatusOr<ir::Operation*> made = nullptr;
  if (const std::vector<ir::Expr>& dims = x->type().dims; layout::KeepsOrder(*order, dims)) {
    const ir::OpInfo* reshape =
        ir::Registry::Global().WithRole(op.info().dialect, ir::Role::kReshape);
    if (reshape == nullptr) return absl::InternalError("the dialect has no reshape");
    made = rewriter.Create(*reshape, {x}, {ir::Attribute(layout::Permuted(dims, *order))});
  } else if (x == op.operand(0)) {
    return nullptr;
  } else {
    made = rewriter.Create(op.info(), {x}, {std::vector<int64_t>(order->begin(), order->end())});
  }
  if (!made.ok()) return made.status();
  return (*made)->result();
}

}  // namespace

absl::StatusOr<passes::PassResult> SettleTransposes(ir::Graph& graph, passes::PassContext&) {
  passes::PassResult result;
  ir::Rewriter rewriter(graph);
  for (ir::Operation* op : graph.TopologicalOrder()) {
    if (op->info().role != ir::Role::kTranspose) continue;
    rewriter.SetInsertionPoint(op);
    absl::StatusOr<ir::Value*> settled = Settled(*op, rewriter);
    if (!settled.ok()) return settled.status();
    if (*settled == nullptr) continue;
    if (absl::Status status = rewriter.Replace(op, {&*settled, 1}); !status.ok()) return status;
    result.changed = true;
    ++result.rewrites;
  }
  if (result.changed) rewriter.EraseUnused();
  return result;
}

}  // namespace tessera::npu
