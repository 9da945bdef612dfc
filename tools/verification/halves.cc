#include "tools/verification/halves.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ir/dtype.h"
#include "ir/operation.h"
#include "ir/value.h"

namespace tessera::verification {

std::vector<bool> FollowFromHalves(const ir::Graph& graph) {
  absl::flat_hash_set<const ir::Value*> following;
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (op->payload() != nullptr) continue;
    const bool follows =
        std::any_of(op->operands().begin(), op->operands().end(),
                    [&](const ir::Value* operand) { return following.contains(operand); });
    for (const ir::Value* result : op->results()) {
      const ir::DType dtype = result->type().dtype;
      if (follows || dtype == ir::DType::kF16 || dtype == ir::DType::kBF16)
        following.insert(result);
    }
  }
  std::vector<bool> outputs;
  for (const ir::Value* output : graph.outputs()) outputs.push_back(following.contains(output));
  return outputs;
}

}  // namespace tessera::verification
