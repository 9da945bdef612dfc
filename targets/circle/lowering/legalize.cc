#include "targets/circle/lowering/legalize.h"

#include "ir/loops.h"

namespace tessera::circle {
namespace {

using ir::Operation;

bool IsForeign(const Operation& op) {
  return op.info().dialect != kDialect && op.info().role != ir::Role::kConstant &&
         op.info().role != ir::Role::kSymbolicConstant && !ir::IsLoopOp(op);
}

bool IsUncoded(const Operation& op) {
  return op.info().dialect == kDialect && op.info().code == nullptr;
}

}  // namespace

absl::Status ErrorOf(const std::vector<Refusal>& refusals) {
  return passes::ErrorOf(refusals, "Circle");
}

absl::Status Legalize(ir::Graph& graph, passes::PassContext& context,
                      std::vector<Refusal>& refusals) {
  return passes::Lower(graph, kDialect, IsForeign, context, refusals);
}

absl::Status ExpandUncoded(ir::Graph& graph, passes::PassContext& context,
                           std::vector<Refusal>& refusals) {
  return passes::LowerOnce(graph, kDialect, IsUncoded, context, refusals);
}

}  // namespace tessera::circle
