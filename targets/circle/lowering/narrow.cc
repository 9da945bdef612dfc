#include "targets/circle/lowering/narrow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "passes/replace_results.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {
namespace {

using ir::DType;
using ir::Operation;
using ir::Value;

bool IsWide(const Value* value) { return value != nullptr && value->type().dtype == DType::kF64; }

// What is finite stays so: a mask of the lowest f64 is to hide, not to make `-inf - -inf`.
ir::Tensor Narrowed(const ir::Tensor& wide) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  std::vector<float> elements(static_cast<size_t>(wide.size()));
  for (size_t i = 0; i < elements.size(); ++i) {
    const double element = wide.AsDouble(static_cast<int64_t>(i));
    elements[i] = static_cast<float>(
        std::isfinite(element) ? std::clamp(element, -kLargest, kLargest) : element);
  }
  return ir::Tensor::Of<float>(DType::kF32, {wide.shape().begin(), wide.shape().end()}, elements);
}

class Narrowing {
 public:
  Narrowing(ir::Graph& graph, passes::PassContext& context)
      : graph_(graph), context_(context), rewriter_(graph), builder_(rewriter_) {
    rewriter_.OnErase([this](Operation* op) {
      const auto gone = [op](const Value* value) { return value->producer() == op; };
      std::erase_if(narrow_, [&](const auto& e) { return gone(e.first) || gone(e.second); });
    });
  }

  absl::StatusOr<passes::PassResult> Run() {
    const size_t before = graph_.operation_count();
    bool wide = false;
    for (Operation* op : graph_.TopologicalOrder()) {
      const bool reads = std::any_of(op->operands().begin(), op->operands().end(), IsWide);
      const bool yields = std::any_of(op->results().begin(), op->results().end(), IsWide);
      if (op->payload() != nullptr || op->info().effect || !(reads || yields)) continue;
      if (context_.rewrites_left <= 0) break;
      wide = true;
      if (absl::Status status = Narrow(*op); !status.ok()) return status;
    }
    if (!wide) return result_;
    // Also conversions for operations that could not be built.
    rewriter_.EraseUnused();
    result_.changed = result_.rewrites > 0 || graph_.operation_count() != before;
    return result_;
  }

 private:
  Value* Converted(std::string_view conversion, Value* value) {
    const std::vector<Value*> results = builder_.Create(kDialect, conversion, {value}, {});
    return results.empty() ? nullptr : results[0];
  }

  Value* InF32(Value* value) {
    if (!IsWide(value)) return value;
    if (const auto known = narrow_.find(value); known != narrow_.end()) return known->second;
    Value* const narrow = value->constant() != nullptr
                              ? rewriter_.CreateConstant(Narrowed(*value->constant()))
                              : Converted("ToF32", value);
    if (narrow != nullptr) narrow_.emplace(value, narrow);
    return narrow;
  }

  absl::Status Narrow(Operation& op) {
    builder_.Reset();
    rewriter_.SetInsertionPoint(&op);
    rewriter_.SetLocation(op.location());
    std::vector<Value*> operands;
    for (Value* operand : op.operands()) operands.push_back(InF32(operand));
    if (!builder_.ok()) return builder_.status();
    const absl::StatusOr<Operation*> narrow =
        rewriter_.Create(op.info(), std::move(operands), {op.attrs().begin(), op.attrs().end()});
    if (!narrow.ok()) return absl::OkStatus();  // legalization says why it has no form
    ++result_.rewrites;
    --context_.rewrites_left;
    std::vector<Value*> replacements;
    for (size_t i = 0; i < op.results().size(); ++i) {
      Value* const made = (*narrow)->result(i);
      Value* value = made;
      if (IsWide(op.result(i))) {
        // Still f64 where an attribute says so, not the operands.
        Value* const small = InF32(made);
        // For outputs, and for what stays as it is.
        value = small == nullptr ? nullptr : Converted("ToF64", small);
        if (value == nullptr) return builder_.status();
        narrow_.emplace(value, small);
      }
      replacements.push_back(value);
    }
    return passes::ReplaceResults(rewriter_, op, replacements);
  }

  ir::Graph& graph_;
  passes::PassContext& context_;
  ir::Rewriter rewriter_;
  ir::TermBuilder builder_;
  std::map<const Value*, Value*> narrow_;  // in f32, of what is f64
  passes::PassResult result_;
};

}  // namespace

absl::StatusOr<passes::PassResult> NarrowDoubles(ir::Graph& graph, passes::PassContext& context) {
  return Narrowing(graph, context).Run();
}

}  // namespace tessera::circle
