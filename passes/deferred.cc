#include "passes/deferred.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "layout/permutation.h"
#include "passes/elementwise_bytes.h"
#include "passes/transposed_bytes.h"

namespace tessera::passes {
namespace {

constexpr size_t kLeastBytes = 1 << 16;

std::optional<ir::Tensor> Reshaped(const ir::Operation& op, const ir::Tensor& operand) {
  std::vector<int64_t> dims;
  for (const ir::Expr& dim : op.result()->type().dims) dims.push_back(dim.Constant().value_or(-1));
  const absl::StatusOr<int64_t> count = ir::ElementCount(dims, 1);
  if (!count.ok() || *count != operand.size()) return std::nullopt;
  return operand.Reshaped(std::move(dims));
}

}  // namespace

std::optional<ir::Tensor> FoldLater(const ir::Operation& op) {
  const ir::Role role = op.info().role;
  if (role != ir::Role::kReshape && role != ir::Role::kTranspose) return ElementwiseLater(op);
  const ir::Tensor* const operand = op.operand(0)->constant();
  if (operand == nullptr || operand->byte_size() < kLeastBytes) return std::nullopt;
  if (role == ir::Role::kReshape) return Reshaped(op, *operand);
  const std::optional<layout::Permutation> order = layout::PermutationOf(&op);
  if (!order.has_value()) return std::nullopt;
  if (std::optional<ir::Tensor> inside = ElementwiseOfTransposed(*operand, *order)) return inside;
  return TransposedLater(*operand, *order);
}

}  // namespace tessera::passes
