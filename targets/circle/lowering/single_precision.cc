#include "targets/circle/lowering/single_precision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <variant>
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

bool IsDouble(DType dtype) { return dtype == DType::kF64; }
bool IsHalf(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }

// What is finite stays so: a mask of the lowest f64 is to hide, not to make `-inf - -inf`.
ir::Tensor InF32(const ir::Tensor& wide) {
  if (!IsDouble(wide.dtype())) return wide.CastTo(DType::kF32);
  constexpr double kLargest = std::numeric_limits<float>::max();
  std::vector<float> elements(static_cast<size_t>(wide.size()));
  for (size_t i = 0; i < elements.size(); ++i) {
    const double element = wide.AsDouble(static_cast<int64_t>(i));
    elements[i] = static_cast<float>(
        std::isfinite(element) ? std::clamp(element, -kLargest, kLargest) : element);
  }
  return ir::Tensor::Of<float>(DType::kF32, {wide.shape().begin(), wide.shape().end()}, elements);
}

// The conversion from f32.
std::string_view ConversionTo(DType dtype) {
  return IsDouble(dtype) ? "ToF64" : dtype == DType::kF16 ? "ToF16" : "ToBF16";
}

class Recomputation {
 public:
  // Of what is of the types that `is_other` names. `spoken_of`: what an attribute says to be of
  // them, too.
  Recomputation(ir::Graph& graph, passes::PassContext& context, bool (*is_other)(DType),
                bool spoken_of)
      : graph_(graph),
        context_(context),
        is_other_(is_other),
        spoken_of_(spoken_of),
        rewriter_(graph),
        builder_(rewriter_) {
    rewriter_.OnErase([this](Operation* op) {
      const auto gone = [op](const Value* value) { return value->producer() == op; };
      std::erase_if(in_f32_, [&](const auto& e) { return gone(e.first) || gone(e.second); });
    });
  }

  // `ops`: of the graph, in topological order.
  absl::StatusOr<passes::PassResult> Run(const std::vector<Operation*>& ops) {
    const size_t before = graph_.operation_count();
    bool any = false;
    for (Operation* op : ops) {
      if (!Concerns(*op)) continue;
      if (context_.rewrites_left <= 0) break;
      any = true;
      if (absl::Status status = Recompute(*op); !status.ok()) return status;
    }
    if (!any) return result_;
    // Also conversions for operations that could not be built.
    rewriter_.EraseUnused();
    result_.changed = result_.rewrites > 0 || graph_.operation_count() != before;
    return result_;
  }

  bool Concerns(const Operation& op) const {
    const auto is_other = [this](const Value* value) { return IsOther(value); };
    return op.payload() == nullptr && !op.info().effect &&
           (std::any_of(op.operands().begin(), op.operands().end(), is_other) ||
            std::any_of(op.results().begin(), op.results().end(), is_other));
  }

 private:
  bool IsOther(const Value* value) const {
    return value != nullptr && is_other_(value->type().dtype);
  }

  Value* Converted(std::string_view conversion, Value* value) {
    const std::vector<Value*> results = builder_.Create(kDialect, conversion, {value}, {});
    return results.empty() ? nullptr : results[0];
  }

  Value* ValueInF32(Value* value) {
    if (!IsOther(value)) return value;
    if (const auto known = in_f32_.find(value); known != in_f32_.end()) return known->second;
    Value* const in_f32 = value->constant() != nullptr
                              ? rewriter_.CreateConstant(InF32(*value->constant()))
                              : Converted("ToF32", value);
    if (in_f32 != nullptr) in_f32_.emplace(value, in_f32);
    return in_f32;
  }

  std::vector<ir::Attribute> AttributesOf(const Operation& op) const {
    std::vector<ir::Attribute> attrs(op.attrs().begin(), op.attrs().end());
    // What takes the bits of one type for another's has both, and stays as it is.
    if (!spoken_of_ || std::any_of(op.operands().begin(), op.operands().end(),
                                   [this](const Value* value) { return IsOther(value); }))
      return attrs;
    for (ir::Attribute& attr : attrs) {
      const DType* const dtype = std::get_if<DType>(&attr);
      if (dtype != nullptr && is_other_(*dtype)) attr = DType::kF32;
    }
    return attrs;
  }

  absl::Status Recompute(Operation& op) {
    builder_.Reset();
    rewriter_.SetInsertionPoint(&op);
    rewriter_.SetLocation(op.location());
    std::vector<Value*> operands;
    for (Value* operand : op.operands()) operands.push_back(ValueInF32(operand));
    if (!builder_.ok()) return builder_.status();
    const absl::StatusOr<Operation*> in_f32 =
        rewriter_.Create(op.info(), std::move(operands), AttributesOf(op));
    if (!in_f32.ok()) return absl::OkStatus();  // legalization says why it has no form
    ++result_.rewrites;
    --context_.rewrites_left;
    std::vector<Value*> replacements;
    for (size_t i = 0; i < op.results().size(); ++i) {
      Value* const made = (*in_f32)->result(i);
      Value* value = made;
      if (IsOther(op.result(i))) {
        // As it was where an attribute says so, not the operands.
        Value* const small = ValueInF32(made);
        // For outputs, and for what stays as it is.
        value =
            small == nullptr ? nullptr : Converted(ConversionTo(op.result(i)->type().dtype), small);
        if (value == nullptr) return builder_.status();
        in_f32_.emplace(value, small);
      }
      replacements.push_back(value);
    }
    return passes::ReplaceResults(rewriter_, op, replacements);
  }

  ir::Graph& graph_;
  passes::PassContext& context_;
  bool (*is_other_)(DType);
  bool spoken_of_;
  ir::Rewriter rewriter_;
  ir::TermBuilder builder_;
  std::map<const Value*, Value*> in_f32_;  // of what is of another type
  passes::PassResult result_;
};

}  // namespace

absl::StatusOr<passes::PassResult> NarrowDoubles(ir::Graph& graph, passes::PassContext& context) {
  return Recomputation(graph, context, IsDouble, /*spoken_of=*/false).Run(graph.TopologicalOrder());
}

absl::StatusOr<passes::PassResult> WidenHalves(ir::Graph& graph, passes::PassContext& context) {
  // A conversion to halves that stayed one would round.
  Recomputation recomputation(graph, context, IsHalf, /*spoken_of=*/true);
  const std::vector<Operation*> ops = graph.TopologicalOrder();
  const bool any = std::any_of(ops.begin(), ops.end(), [&](const Operation* op) {
    return recomputation.Concerns(*op) && !op->info().elementwise;
  });
  return any ? recomputation.Run(ops) : passes::PassResult();
}

}  // namespace tessera::circle
