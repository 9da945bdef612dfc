#include "targets/circle/lowering/index_code.h"

#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {

using ir::Value;
using solver::Expr;
using solver::NodeKind;
using solver::View;

Value* IndexCode::Make(std::string_view op, std::vector<Value*> operands,
                       const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs) {
  const std::vector<Value*> results = builder_.Create(kDialect, op, std::move(operands), attrs);
  return results.empty() ? nullptr : results[0];
}

Value* IndexCode::Constant(int64_t value) {
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    builder_.Fail(absl::OutOfRangeError(
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
  for (Value* input : graph_.inputs()) {
    const std::vector<Expr>& dims = input->type().dims;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] == e) return Dim(input, static_cast<int64_t>(d));
    }
  }
  for (Value* input : graph_.inputs()) {
    const std::vector<Expr>& dims = input->type().dims;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d].IsConstant() || dims[d].IsInvalid()) continue;
      const View view = solver::ViewOf(dims[d]);
      if (view.kind != NodeKind::kPolynomial || view.terms.size() != 1) continue;
      const auto& [coefficient, atoms] = view.terms[0];
      if (atoms.size() != 1 || !(atoms[0] == e) || coefficient <= 0) continue;
      Value* scaled =
          Make("IndexDifference", {Dim(input, static_cast<int64_t>(d)), Constant(view.constant)});
      return Make("IndexQuotient", {scaled, Constant(coefficient)});
    }
  }
  builder_.Fail(absl::UnimplementedError(absl::StrCat("a shape depends on `", e.ToString(),
                                                      "`, which is the size of no input's axis")));
  return nullptr;
}

Value* IndexCode::Product(const std::vector<Expr>& factors, int64_t coefficient) {
  Value* product = nullptr;
  for (const Expr& factor : factors) {
    Value* value = Number(factor);
    product = product == nullptr ? value : Make("IndexProduct", {product, value});
  }
  return coefficient == 1 ? product : Make("IndexProduct", {product, Constant(coefficient)});
}

// What is added first, then what is subtracted.
Value* IndexCode::Sum(const View& view) {
  Value* sum = nullptr;
  for (const auto& [coefficient, atoms] : view.terms) {
    if (coefficient < 0) continue;
    Value* term = Product(atoms, coefficient);
    sum = sum == nullptr ? term : Make("IndexSum", {sum, term});
  }
  if (sum == nullptr) {
    sum = Constant(view.constant);
  } else if (view.constant > 0) {
    sum = Make("IndexSum", {sum, Constant(view.constant)});
  } else if (view.constant < 0) {
    sum = Make("IndexDifference", {sum, Constant(-view.constant)});
  }
  for (const auto& [coefficient, atoms] : view.terms) {
    if (coefficient < 0) sum = Make("IndexDifference", {sum, Product(atoms, -coefficient)});
  }
  return sum;
}

Value* IndexCode::Number(const Expr& e) {
  if (!builder_.ok()) return nullptr;
  if (e.IsInvalid()) {
    builder_.Fail(absl::OutOfRangeError("a shape is computed from numbers beyond 64 bits"));
    return nullptr;
  }
  if (e.IsConstant()) return Constant(*e.Constant());
  const auto known = numbers_.find(e);
  if (known != numbers_.end()) return known->second;
  const View view = solver::ViewOf(e);
  Value* value = nullptr;
  switch (view.kind) {
    case NodeKind::kSymbol:
      value = Symbol(e);
      break;
    case NodeKind::kPolynomial:
      value = Sum(view);
      break;
    case NodeKind::kFloorDiv:
      value = Make("IndexQuotient", {Number(view.children[0]), Number(view.children[1])});
      break;
    case NodeKind::kMin:
      value = Make("IndexLeast", {Number(view.children[0]), Number(view.children[1])});
      break;
    case NodeKind::kIte:
      value = Make("IndexChoice", {Condition(view.children[0]), Number(view.children[1]),
                                   Number(view.children[2])});
      break;
    case NodeKind::kEqualsZero:
    case NodeKind::kNotNegative:
      value = Make("IndexChoice", {Condition(e), Constant(1), Constant(0)});
      break;
  }
  return numbers_[e] = value;
}

Value* IndexCode::Condition(const Expr& e) {
  if (!builder_.ok()) return nullptr;
  const auto known = conditions_.find(e);
  if (known != conditions_.end()) return known->second;
  Value* value = nullptr;
  const View view = e.IsConstant() || e.IsInvalid() ? View{} : solver::ViewOf(e);
  if (view.kind == NodeKind::kEqualsZero) {
    value = Make("IndexIsZero", {Number(view.children[0])});
  } else if (view.kind == NodeKind::kNotNegative) {
    value = Make("IndexIsNotNegative", {Number(view.children[0])});
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
