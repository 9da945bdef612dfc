#include "targets/circle/lowering/index_code.h"

#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/data_size.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {

using ir::Value;
using solver::Expr;
using solver::ExprKind;
using solver::View;

IndexCode::IndexCode(ir::Graph& graph, ir::TermBuilder& builder)
    : graph_(graph), builder_(builder) {
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (ir::IsDataSize(*op)) counted_.emplace(std::get<Expr>(op->attr(0)), op->result());
  }
}

Value* IndexCode::Make(std::string_view op, std::vector<Value*> operands,
                       const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs) {
  const std::vector<Value*> results = builder_.Create(kDialect, op, std::move(operands), attrs);
  return results.empty() ? nullptr : results[0];
}

Value* IndexCode::Constant(int64_t value) {
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    builder_.Fail(absl::UnimplementedError(
        absl::StrCat("a shape is computed from ", value, ", which is not an i32")));
    return nullptr;
  }
  return builder_.TensorOf(std::vector<int64_t>{value}, ir::DType::kI32);
}

Value* IndexCode::Dim(Value* input, int64_t axis) {
  Value*& shape = shapes_[input->id()];
  if (shape == nullptr) shape = Make("IndexShape", {input});
  return Make("IndexEntry", {shape}, {{"at", ir::Attribute(axis)}});
}

// Off a dim that is the symbol, or else off one that is scale * symbol + offset.
Value* IndexCode::Symbol(const Expr& e) {
  // What stands for the symbol in dims: with a congruence known it is a multiple of a quotient.
  const Expr whole = graph_.context().Symbol(View(e).symbol());
  for (Value* input : graph_.inputs()) {
    const std::vector<Expr>& dims = input->type().dims;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] == e || dims[d] == whole) return Dim(input, static_cast<int64_t>(d));
    }
  }
  for (Value* input : graph_.inputs()) {
    const std::vector<Expr>& dims = input->type().dims;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d].IsConstant() || dims[d].IsInvalid()) continue;
      const View view(dims[d]);
      if (view.kind() != ExprKind::kSum || view.size() != 1) continue;
      if (!(view.child(0) == e) || view.coefficient(0) <= 0) continue;
      Value* scaled =
          Make("IndexDifference", {Dim(input, static_cast<int64_t>(d)), Constant(view.constant())});
      return Make("IndexQuotient", {scaled, Constant(view.coefficient(0))});
    }
  }
  if (const auto counted = counted_.find(e); counted != counted_.end())
    return Make("IndexOfSize", {counted->second});
  builder_.Fail(absl::UnimplementedError(absl::StrCat("a shape depends on `", e.ToString(),
                                                      "`, which is the size of no input's axis")));
  return nullptr;
}

Value* IndexCode::Scaled(const Expr& term, int64_t coefficient) {
  Value* value = Number(term);
  return coefficient == 1 ? value : Make("IndexProduct", {value, Constant(coefficient)});
}

// What is added first, then what is subtracted.
Value* IndexCode::Sum(const View& view) {
  Value* sum = nullptr;
  for (size_t i = 0; i < view.size(); ++i) {
    if (view.coefficient(i) < 0) continue;
    Value* term = Scaled(view.child(i), view.coefficient(i));
    sum = sum == nullptr ? term : Make("IndexSum", {sum, term});
  }
  if (sum == nullptr) {
    sum = Constant(view.constant());
  } else if (view.constant() > 0) {
    sum = Make("IndexSum", {sum, Constant(view.constant())});
  } else if (view.constant() < 0) {
    sum = Make("IndexDifference", {sum, Constant(-view.constant())});
  }
  for (size_t i = 0; i < view.size(); ++i) {
    if (view.coefficient(i) >= 0) continue;
    sum = Make("IndexDifference", {sum, Scaled(view.child(i), -view.coefficient(i))});
  }
  return sum;
}

Value* IndexCode::Number(const Expr& e) {
  if (!builder_.ok()) return nullptr;
  if (e.IsInvalid()) {
    builder_.Fail(absl::UnimplementedError("a shape is computed from numbers beyond 64 bits"));
    return nullptr;
  }
  if (e.IsConstant()) return Constant(*e.Constant());
  const auto known = numbers_.find(e);
  if (known != numbers_.end()) return known->second;
  const View view(e);
  Value* value = nullptr;
  switch (view.kind()) {
    case ExprKind::kSymbol:
      value = Symbol(e);
      break;
    case ExprKind::kSum:
      value = Sum(view);
      break;
    case ExprKind::kProduct:
    case ExprKind::kMin:
      value = Number(view.child(0));
      for (size_t i = 1; i < view.size(); ++i) {
        value = Make(view.kind() == ExprKind::kMin ? "IndexLeast" : "IndexProduct",
                     {value, Number(view.child(i))});
      }
      break;
    case ExprKind::kFloorDiv:
      value = Make("IndexQuotient", {Number(view.child(0)), Number(view.child(1))});
      break;
    case ExprKind::kIte:
      value = Make("IndexChoice",
                   {Condition(view.child(0)), Number(view.child(1)), Number(view.child(2))});
      break;
    case ExprKind::kEqZero:
    case ExprKind::kGeZero:
      value = Make("IndexChoice", {Condition(e), Constant(1), Constant(0)});
      break;
    case ExprKind::kAnd:
      // All of 0 or 1: their product.
      value = Number(Ne(view.child(0), 0));
      for (size_t i = 1; i < view.size(); ++i) {
        value = Make("IndexProduct", {value, Number(Ne(view.child(i), 0))});
      }
      break;
    case ExprKind::kConstant:
    case ExprKind::kInvalid:
      break;  // both are dealt with above
  }
  return numbers_[e] = value;
}

Value* IndexCode::Condition(const Expr& e) {
  if (!builder_.ok()) return nullptr;
  const auto known = conditions_.find(e);
  if (known != conditions_.end()) return known->second;
  Value* value = nullptr;
  const View view(e);
  if (view.kind() == ExprKind::kEqZero) {
    value = Make("IndexIsZero", {Number(view.child(0))});
  } else if (view.kind() == ExprKind::kGeZero) {
    value = Make("IndexIsNotNegative", {Number(view.child(0))});
  } else {
    // Any number: it is not so that it is zero.
    value =
        Make("IndexIsZero",
             {Make("IndexChoice", {Make("IndexIsZero", {Number(e)}), Constant(1), Constant(0)})});
  }
  return conditions_[e] = value;
}

Value* IndexCode::Tensor(const std::vector<Expr>& elements, std::vector<int64_t> shape,
                         ir::DType dtype) {
  std::vector<Value*> parts;
  std::vector<int64_t> constants;  // neighbours that are known go together
  const auto flush = [&] {
    if (constants.empty()) return;
    parts.push_back(builder_.TensorOf(constants, ir::DType::kI32));
    constants.clear();
  };
  for (const Expr& e : elements) {
    const std::optional<int64_t> constant = e.Constant();
    if (!constant.has_value()) {
      flush();
      parts.push_back(Number(e));
    } else if (Constant(*constant) != nullptr) {
      constants.push_back(*constant);
    }
  }
  flush();
  Value* list = parts.size() == 1 ? parts[0] : Make("IndexList", std::move(parts));
  return Make("IndexTensor", {list},
              {{"shape", ir::Attribute(std::move(shape))}, {"type", ir::Attribute(dtype)}});
}

}  // namespace tessera::circle
