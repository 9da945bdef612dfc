// Neighbouring entries of an axis that is not the last one: a choice of them stands between two
// transpositions, a part takes any order of axes, so that both may go. A sequence of single entries
// that is turned round is joined in that order.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "layout/permutation.h"
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

// Where single entries are joined along the axis that a transposition makes the last one, a choice
// of them is a join in another order; null: it is none.
absl::StatusOr<ir::Value*> Rejoined(const ir::Operation& order, const ir::Tensor& entries,
                                    ir::Rewriter& rewriter) {
  const ir::Operation* join = order.operand(0)->producer();
  const auto perm = layout::PermutationOf(&order);
  if (join == nullptr || StepOf(*join) != Step::kJoin || !perm.has_value()) return nullptr;
  const auto axis = static_cast<size_t>(std::get<int64_t>(join->attr(0)));
  const auto parts = join->operands();
  const auto is_one = [axis](const ir::Value* part) {
    return part->type().dims[axis] == ir::Expr(1);
  };
  if (static_cast<size_t>(perm->back()) != axis || !std::all_of(parts.begin(), parts.end(), is_one))
    return nullptr;
  std::vector<ir::Value*> chosen;
  for (int64_t i = 0; i < entries.size(); ++i) {
    auto at = static_cast<int64_t>(entries.AsDouble(i));
    if (at < 0) at += static_cast<int64_t>(parts.size());
    chosen.push_back(parts[static_cast<size_t>(at)]);
  }
  const absl::StatusOr<ir::Operation*> joined = rewriter.Create(
      join->info(), std::move(chosen), {join->attrs().begin(), join->attrs().end()});
  if (!joined.ok()) return joined.status();
  const absl::StatusOr<ir::Operation*> ordered = rewriter.Create(
      order.info(), {(*joined)->result()}, {order.attrs().begin(), order.attrs().end()});
  if (!ordered.ok()) return ordered.status();
  return (*ordered)->result();
}

}  // namespace

absl::StatusOr<passes::PassResult> PartNeighbours(ir::Graph& graph, passes::PassContext&) {
  passes::PassResult result;
  ir::Rewriter rewriter(graph);
  for (ir::Operation* op : graph.TopologicalOrder()) {
    if (StepOf(*op) != Step::kPicked) continue;
    const ir::Operation* before = op->operand(0)->producer();
    const ir::Tensor* entries = op->operand(1)->constant();
    if (before == nullptr || before->info().role != ir::Role::kTranspose || entries == nullptr)
      continue;
    rewriter.SetInsertionPoint(op);
    rewriter.SetLocation(op->location());
    absl::StatusOr<ir::Value*> rejoined = Rejoined(*before, *entries, rewriter);
    if (!rejoined.ok()) return rejoined.status();
    if (*rejoined != nullptr) {
      if (absl::Status status = rewriter.Replace(op, {&*rejoined, 1}); !status.ok()) return status;
      result.changed = true;
      ++result.rewrites;
      continue;
    }
    if (!AreNeighbours(*entries)) continue;
    std::vector<ir::Expr> sizes = op->result()->type().dims, starts(sizes.size(), ir::Expr(0));
    starts.back() = static_cast<int64_t>(entries->AsDouble(0));
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
