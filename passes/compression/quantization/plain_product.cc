#include "passes/compression/quantization/plain_product.h"

#include <utility>
#include <vector>

#include "passes/compression/traits/traits.h"

namespace tessera::compression {

bool IsMatrixProduct(const ir::Operation& op) {
  const ir::QuantizeTrait& trait = TraitOf(op.info());
  const ir::TensorType& weight = op.operand(static_cast<size_t>(trait.weight))->type();
  const ir::TensorType& data = op.operand(static_cast<size_t>(trait.data))->type();
  const int64_t rank = op.result()->type().rank();
  return weight.rank() == 2 && data.rank() >= 2 && rank == data.rank() && trait.bias < 0 &&
         (trait.axis == -1 || trait.axis == 1) &&
         (trait.result_axis == -1 || trait.result_axis == rank - 1) &&
         weight.dims[0] == data.dims.back() && weight.dims[1] == op.result()->type().dims.back();
}

std::optional<PlainProduct> AsPlainProduct(const BuildContext& context, const ir::Operation& op) {
  const ir::QuantizeTrait& trait = TraitOf(op.info());
  const Address& address = context.addresses.Of(op);
  if (address.node == nullptr || op.results().size() != 1) return std::nullopt;
  // Reshapes of the node's own that leave rows as they are.
  const auto keeps_rows = [&](const ir::Operation* other) {
    return other != nullptr && other->info().role == ir::Role::kReshape &&
           context.addresses.Of(*other).node == address.node &&
           other->operand(0)->type().rank() > 0 && other->result()->type().rank() > 0 &&
           other->operand(0)->type().dims.back() == other->result()->type().dims.back();
  };
  PlainProduct node;
  const ir::Value* data = op.operand(static_cast<size_t>(trait.data));
  while ((node.data = context.addresses.TensorRead(address, *data)).empty()) {
    if (!keeps_rows(data->producer())) return std::nullopt;
    data = data->producer()->operand(0);
  }
  node.rank = data->type().rank();
  const solver::Expr channels = op.operand(static_cast<size_t>(trait.weight))->type().dims.back();
  const ir::Value* result = op.result();
  while (context.addresses.TensorMade(address, *result).empty()) {
    if (result->UsesUnsorted().size() != 1) return std::nullopt;
    const ir::Use use = result->UsesUnsorted()[0];
    if (context.addresses.Of(*use.op).node != address.node) return std::nullopt;
    if (!keeps_rows(use.op)) {
      // A term per channel that the node adds, once.
      if (TraitOf(use.op->info()).kind != ir::Quantizable::kSums || !node.bias.empty() ||
          use.op->operands().size() != 2)
        return std::nullopt;
      const ir::Value* term = use.op->operand(static_cast<size_t>(1 - use.index));
      if (term->type().rank() != 1 || !(term->type().dims[0] == channels)) return std::nullopt;
      node.bias = context.addresses.TensorRead(address, *term);
      if (node.bias.empty()) return std::nullopt;
    }
    result = use.op->result();
  }
  std::vector<solver::Expr> dims = data->type().dims;
  dims.back() = channels;
  if (!(result->type().dims == dims)) return std::nullopt;
  return node;
}

}  // namespace tessera::compression
