#include "targets/circle/lowering/widen.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "passes/replace_results.h"

namespace tessera::circle {
namespace {

using ir::DType;
using ir::Operation;
using ir::Value;

std::optional<DType> Wider(DType dtype) {
  switch (dtype) {
    case DType::kI8:
    case DType::kU8:
    case DType::kI16:
    case DType::kU16:
      return DType::kI32;
    case DType::kU32:
      return DType::kI64;
    case DType::kF16:
    case DType::kBF16:
      return DType::kF32;
    default:
      return std::nullopt;
  }
}

// Elementwise, and of one dtype, but for truth values: what has its limits from another operand, as
// codes have, may not change that.
std::optional<DType> Narrow(const Operation& op) {
  if (!op.info().elementwise || op.info().effect) return std::nullopt;
  std::optional<DType> narrow;
  const auto agrees = [&](const Value* value) {
    if (value == nullptr || value->type().dtype == DType::kBool) return true;
    if (!narrow.has_value()) narrow = value->type().dtype;
    return value->type().dtype == *narrow;
  };
  const bool all = std::all_of(op.operands().begin(), op.operands().end(), agrees) &&
                   std::all_of(op.results().begin(), op.results().end(), agrees);
  return all && narrow.has_value() && Wider(*narrow).has_value() ? narrow : std::nullopt;
}

class Widening {
 public:
  explicit Widening(ir::Graph& graph) : rewriter_(graph), builder_(rewriter_) {}

  // Whether the operation exists on wider types; all of it or nothing is replaced.
  absl::StatusOr<bool> Widened(Operation& op, DType narrow) {
    builder_.Reset();
    rewriter_.SetInsertionPoint(&op);
    rewriter_.SetLocation(op.location());
    std::vector<Value*> operands;
    for (Value* operand : op.operands()) {
      const bool is_narrow = operand != nullptr && operand->type().dtype == narrow;
      operands.push_back(is_narrow ? Converted(operand, *Wider(narrow)) : operand);
    }
    if (!builder_.ok()) return builder_.status();
    const absl::StatusOr<Operation*> wide =
        rewriter_.Create(op.info(), std::move(operands), {op.attrs().begin(), op.attrs().end()});
    if (!wide.ok()) return false;  // legalization says why the operation has no form
    std::vector<Value*> replacements;
    for (size_t i = 0; i < op.results().size(); ++i) {
      Value* const made = (*wide)->result(i);
      const DType asked = op.result(i)->type().dtype;
      replacements.push_back(made->type().dtype == asked ? made : Converted(made, asked));
    }
    if (!builder_.ok()) return builder_.status();
    if (absl::Status status = passes::ReplaceResults(rewriter_, op, replacements); !status.ok())
      return status;
    return true;
  }

  void EraseUnused() { rewriter_.EraseUnused(); }

 private:
  Value* Converted(Value* value, DType dtype) {
    const std::vector<Value*> results =
        builder_.Create("core", "Cast", {value}, {{"to", ir::Attribute(dtype)}});
    return results.empty() ? nullptr : results[0];
  }

  ir::Rewriter rewriter_;
  ir::TermBuilder builder_;
};

}  // namespace

absl::StatusOr<bool> Widen(ir::Graph& graph, const std::vector<passes::Refusal>& refusals) {
  absl::flat_hash_set<int> refused;
  for (const passes::Refusal& refusal : refusals) refused.insert(refusal.id);
  Widening widening(graph);
  bool any = false;
  for (Operation* op : graph.TopologicalOrder()) {
    const std::optional<DType> narrow = Narrow(*op);
    if (!refused.contains(op->id()) || !narrow.has_value()) continue;
    const absl::StatusOr<bool> widened = widening.Widened(*op, *narrow);
    if (!widened.ok()) return widened.status();
    any = any || *widened;
  }
  // Conversions for operations that could not be built, too.
  widening.EraseUnused();
  return any;
}

}  // namespace tessera::circle
