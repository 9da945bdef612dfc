// Means of rows. A mean over the last of three axes is that of a row of pixels, whose channels come
// before it, or of a row of numbers: where a transposition is left before the row of pixels, it is
// the latter, weighted sums of what there is.
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "layout/permutation.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/movement.h"

namespace tessera::npu {
namespace {

// What is transposed, [n, channels, columns] or [n, channels, 1, columns], where all columns of a
// row of pixels are meant; null: it is no such mean.
ir::Value* RowsOf(const ir::Operation& op) {
  using Sizes = std::vector<int64_t>;
  if (StepOf(op) != Step::kWindow || std::get<int64_t>(op.attr(0)) == 0) return nullptr;
  const ir::Operation* before = op.operand(0)->producer();
  const bool viewed = before != nullptr && before->info().role == ir::Role::kReshape;
  if (viewed) before = before->operand(0)->producer();
  if (before == nullptr) return nullptr;
  const std::optional<layout::Permutation> order = layout::PermutationOf(before);
  if (!order.has_value() ||
      *order != (viewed ? layout::Permutation{0, 2, 1} : layout::Permutation{0, 2, 3, 1}))
    return nullptr;
  ir::Value* rows = before->operand(0);
  const std::vector<ir::Expr>&dims = rows->type().dims, &image = op.operand(0)->type().dims;
  const std::optional<int64_t> columns = dims.back().Constant();
  if (!columns.has_value() || image[1] != ir::Expr(1) || image[2] != dims.back() ||
      image[3] != dims[1] || std::get<Sizes>(op.attr(1)) != Sizes{1, *columns} ||
      std::get<Sizes>(op.attr(3)) != Sizes{0, 0} || std::get<Sizes>(op.attr(4)) != Sizes{0, 0})
    return nullptr;
  return rows;
}

}  // namespace

absl::StatusOr<passes::PassResult> MeansOfRows(ir::Graph& graph, passes::PassContext&) {
  passes::PassResult result;
  ir::Rewriter rewriter(graph);
  for (ir::Operation* op : graph.TopologicalOrder()) {
    ir::Value* rows = RowsOf(*op);
    if (rows == nullptr) continue;
    rewriter.SetInsertionPoint(op);
    rewriter.SetLocation(op->location());
    ir::TermBuilder builder(rewriter);
    const ir::Expr columns = rows->type().dims.back();
    ir::Value* weights =
        builder.Fill(1.0 / static_cast<double>(*columns.Constant()), {1, columns}, ir::DType::kF32);
    ir::Value* none = builder.Fill(0, {1}, ir::DType::kF32);
    const std::vector<ir::Value*> means =
        builder.Create(kDialect, NameOf(Step::kRows), {rows, weights, none}, {});
    if (!builder.ok()) return builder.status();
    const ir::OpInfo* reshape = ir::Registry::Global().WithRole(
        op->operand(0)->producer()->info().dialect, ir::Role::kReshape);
    if (reshape == nullptr) return absl::InternalError("the dialect has no reshape");
    const absl::StatusOr<ir::Operation*> made =
        rewriter.Create(*reshape, {means[0]}, {ir::Attribute(op->result()->type().dims)});
    if (!made.ok()) return made.status();
    ir::Value* shaped = (*made)->result();
    if (absl::Status status = rewriter.Replace(op, {&shaped, 1}); !status.ok()) return status;
    result.changed = true;
    ++result.rewrites;
  }
  if (result.changed) rewriter.EraseUnused();
  return result;
}

}  // namespace tessera::npu
