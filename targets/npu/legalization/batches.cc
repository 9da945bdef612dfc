#include "targets/npu/legalization/batches.h"

#include <string>
#include <vector>

#include "targets/npu/legalization/layers.h"

namespace tessera::npu {
namespace {

constexpr int64_t kMostImages = 64;  // each is layers of its own

bool IsKnown(const ir::Value& value) {
  for (const ir::Expr& dim : value.type().dims) {
    if (!dim.Constant().has_value()) return false;
  }
  return true;
}

}  // namespace

absl::Status SplitBatches(ir::Graph& graph) {
  Layers layers(graph);
  for (ir::Operation* op : graph.TopologicalOrder()) {
    if (StepOf(*op) != Step::kFilter && StepOf(*op) != Step::kWindow) continue;
    if (!IsKnown(*op->operand(0)) || !IsKnown(*op->result())) continue;
    const int64_t images = *op->result()->type().dims[0].Constant();
    if (images < 2 || images > kMostImages) continue;
    layers.rewriter().SetInsertionPoint(op);
    layers.rewriter().SetLocation(op->location());
    std::vector<int64_t> sizes = ShapeOf(*op->operand(0));
    sizes[0] = 1;
    std::vector<ir::Value*> results;
    for (int64_t n = 0; n < images; ++n) {
      std::vector<ir::Value*> operands(op->operands().begin(), op->operands().end());
      operands[0] = layers.Part(operands[0], {n, 0, 0, 0}, sizes);
      if (operands[0] == nullptr) return layers.status();
      const absl::StatusOr<ir::Value*> result = layers.Like(*op, std::move(operands));
      if (!result.ok()) return result.status();
      results.push_back(*result);
    }
    ir::Value* all = layers.Join(results, 0);
    if (all == nullptr) return layers.status();
    if (absl::Status status = layers.rewriter().Replace(op, {&all, 1}); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace tessera::npu
