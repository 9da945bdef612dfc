#include "targets/circle/lowering/compute_shapes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "solver/data_sizes.h"
#include "targets/circle/lowering/index_code.h"

namespace tessera::circle {
namespace {

using ir::Expr;
using ir::Operation;
using ir::Value;

// The list with -1 for its one unknown entry, where it has one, none is -1 already and none is 0:
// with a 0, the operator could not tell the size that is left out.
bool WithWildcard(const std::vector<Expr>& elements, std::vector<int64_t>& list) {
  int64_t unknown = 0;
  for (const Expr& e : elements) {
    if (e == Expr(0) || e == Expr(-1)) return false;
    if (!e.IsConstant()) ++unknown;
    list.push_back(e.Constant().value_or(-1));
  }
  return unknown == 1;
}

absl::Status LeaveOutUnknown(ir::Graph& graph) {
  ir::Rewriter rewriter(graph);
  for (Operation* op : graph.TopologicalOrder()) {
    if (op->info().role != ir::Role::kReshape || op->operands().size() < 2) continue;
    const Value* shape = op->operand(1);
    if (shape->constant() != nullptr || shape->elements() == nullptr) continue;
    std::vector<int64_t> list;
    if (!WithWildcard(*shape->elements(), list)) continue;
    rewriter.SetInsertionPoint(op);
    rewriter.SetLocation(op->location());
    std::vector<Expr> elements(list.begin(), list.end());
    absl::StatusOr<Value*> constant = rewriter.CreateSymbolicConstant(
        shape->type().dtype, {static_cast<int64_t>(list.size())}, std::move(elements));
    if (!constant.ok()) return constant.status();
    if (absl::Status status = rewriter.SetOperand(op, 1, *constant); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Compute(Operation* op, IndexCode& code, ir::Rewriter& rewriter,
                     ir::TermBuilder& builder) {
  rewriter.SetLocation(op->location());
  Value* value =
      code.Tensor(std::get<std::vector<Expr>>(op->attr(2)),
                  std::get<std::vector<int64_t>>(op->attr(1)), std::get<ir::DType>(op->attr(0)));
  if (!builder.ok())
    return absl::Status(builder.status().code(), absl::StrCat("`", op->location().ToString(),
                                                              "`: ", builder.status().message()));
  return rewriter.ReplaceAllUses(op->result(), value);
}

}  // namespace

absl::Status ComputeShapes(ir::Graph& graph) {
  if (absl::Status status = LeaveOutUnknown(graph); !status.ok()) return status;
  std::vector<Operation*> order = graph.TopologicalOrder();
  if (order.empty()) return absl::OkStatus();
  ir::Rewriter rewriter(graph);
  ir::TermBuilder builder(rewriter);
  // Everything is computed from the inputs alone, so it can stand before all else.
  rewriter.SetInsertionPoint(order.front());
  IndexCode code(graph, builder);
  std::vector<Operation*> counted;
  for (Operation* op : order) {
    if (op->info().role != ir::Role::kSymbolicConstant) continue;
    const auto& elements = std::get<std::vector<Expr>>(op->attr(2));
    if (std::any_of(elements.begin(), elements.end(),
                    [&](const Expr& e) { return solver::HasDataSize(graph.context(), e); })) {
      counted.push_back(op);
      continue;
    }
    if (op == rewriter.insertion_point()) {
      const auto next = std::find(order.begin(), order.end(), op) + 1;
      rewriter.SetInsertionPoint(next == order.end() ? nullptr : *next);
    }
    if (absl::Status status = Compute(op, code, rewriter, builder); !status.ok()) return status;
  }
  // Behind what counts the sizes that data decide. What has been computed for one stands before all
  // that follow it.
  for (Operation* op : counted) {
    rewriter.SetInsertionPoint(op);
    if (absl::Status status = Compute(op, code, rewriter, builder); !status.ok()) return status;
  }
  rewriter.EraseUnused();
  return absl::OkStatus();
}

}  // namespace tessera::circle
