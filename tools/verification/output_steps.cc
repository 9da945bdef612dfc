#include "tools/verification/output_steps.h"

#include <cmath>

#include "passes/compression/traits/traits.h"

namespace tessera::verification {
namespace {

constexpr size_t kScale = 1;  // operand of what dequantizes

}  // namespace

OutputSteps::OutputSteps(const ir::Graph& graph) {
  for (const ir::Value* output : graph.outputs()) {
    Chain& chain = chains_.emplace_back();
    for (const ir::Value* value = output; value != nullptr && value->producer() != nullptr;) {
      const ir::Operation& op = *value->producer();
      const ir::QuantizeTrait& trait = compression::TraitOf(op.info());
      if (trait.kind == ir::Quantizable::kDequantizes) {
        chain.scale = op.operand(kScale);
        break;
      }
      if (trait.kind == ir::Quantizable::kAgnostic) {
        value = op.operand(static_cast<size_t>(trait.data));
      } else if (op.operands().size() == 1 && op.operand(0) != nullptr) {
        chain.same.emplace_back(op.operand(0), value);
        value = op.operand(0);
      } else {
        break;
      }
    }
    if (chain.scale == nullptr) continue;
    seen_[chain.scale];
    for (const auto& [before, after] : chain.same) {
      seen_[before];
      seen_[after];
    }
  }
}

void OutputSteps::See(const ir::Value& value, const ir::Tensor& tensor) {
  const auto found = seen_.find(&value);
  if (found != seen_.end()) found->second = tensor;
}

double OutputSteps::Of(size_t output) const {
  const Chain& chain = chains_[output];
  if (chain.scale == nullptr) return 0;
  for (const auto& [before, after] : chain.same) {
    if (!ir::Identical(seen_.at(before), seen_.at(after))) return 0;
  }
  const ir::Tensor& scale = seen_.at(chain.scale);
  return scale.size() == 1 ? std::fabs(scale.AsDouble(0)) : 0;
}

}  // namespace tessera::verification
