#include "targets/circle/lowering/legalize.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "ir/data_size.h"
#include "ir/loops.h"
#include "solver/expr.h"
#include "targets/circle/lowering/widen.h"

namespace tessera::circle {
namespace {

using ir::Operation;

constexpr int64_t kMostEntries = std::numeric_limits<int32_t>::max();

// Whatever the sizes of the inputs.
bool IsTooLarge(const ir::Value& value) {
  const std::vector<solver::Expr>& dims = value.type().dims;
  return std::any_of(dims.begin(), dims.end(), [](const solver::Expr& dim) {
    return dim.IsInvalid() || solver::RangeOf(dim).lo > kMostEntries;
  });
}

// Where a tensor becomes larger than the format can say. Lowerings compute with such sizes in i32.
void RefuseLarge(const ir::Graph& graph, std::vector<Refusal>& refusals) {
  for (const Operation* op : graph.TopologicalOrder()) {
    const auto large = std::find_if(op->results().begin(), op->results().end(),
                                    [](const ir::Value* result) { return IsTooLarge(*result); });
    if (large == op->results().end()) continue;
    if (std::any_of(op->operands().begin(), op->operands().end(), [](const ir::Value* operand) {
          return operand != nullptr && IsTooLarge(*operand);
        })) {
      continue;
    }
    refusals.push_back({std::string(op->info().name), op->location().ToString(),
                        absl::StrCat("Circle has at most ", kMostEntries,
                                     " entries along an axis, here ", (*large)->type().ToString()),
                        op->id()});
  }
}

bool IsForeign(const Operation& op) {
  return op.info().dialect != kDialect && op.info().role != ir::Role::kConstant &&
         op.info().role != ir::Role::kSymbolicConstant && !ir::IsLoopOp(op) && !ir::IsDataSize(op);
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
  RefuseLarge(graph, refusals);
  if (!refusals.empty()) return absl::OkStatus();
  while (true) {
    absl::Status status = passes::Lower(graph, kDialect, IsForeign, context, refusals);
    if (!status.ok() || refusals.empty()) return status;
    // What is widened is not of a type that could be widened again.
    const absl::StatusOr<bool> widened = Widen(graph, refusals);
    if (!widened.ok() || !*widened) return widened.status();
    refusals.clear();
  }
}

absl::Status ExpandUncoded(ir::Graph& graph, passes::PassContext& context,
                           std::vector<Refusal>& refusals) {
  return passes::LowerOnce(graph, kDialect, IsUncoded, context, refusals);
}

}  // namespace tessera::circle
