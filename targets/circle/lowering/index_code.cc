#include "targets/circle/lowering/index_code.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/data_size.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {
namespace {

// Whether a factor of what is less than the divisor leaves room for other such.
bool IsSmallProduct(int64_t factor, int64_t divisor) {
  return factor <= (int64_t{1} << 28) / divisor;
}

}  // namespace

using ir::Value;
using solver::Expr;
using solver::ExprKind;
using solver::View;

IndexCode::IndexCode(ir::Graph& graph, ir::TermBuilder& builder)
    : graph_(graph), builder_(builder), bounds_(graph) {
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

Value* IndexCode::Scaled(Value* value, int64_t coefficient) {
  return coefficient == 1 ? value : Make("IndexProduct", {value, Constant(coefficient)});
}

Value* IndexCode::Scaled(const Expr& term, int64_t coefficient) {
  return Scaled(Atom(term), coefficient);
}

bool IndexCode::Fits(const Expr& e) {
  if (!builder_.ok()) return false;
  if (bounds_.FitI32(e)) return true;
  builder_.Fail(absl::UnimplementedError(
      absl::StrCat("sizes are computed in i32, which may not hold `", e.ToString(),
                   "` where tensors have up to 2^28 elements; `--dim` can bound the sizes")));
  return false;
}

// What is added first, then what is subtracted. Sums and products on the way may wrap around: where
// the whole fits, it is right.
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

Value* IndexCode::Product(const View& view) {
  Value* value = Number(view.child(0));
  for (size_t i = 1; i < view.size(); ++i)
    value = Make("IndexProduct", {value, Number(view.child(i))});
  return value;
}

// A term of a sum, of which not it but the sum has to fit.
Value* IndexCode::Atom(const Expr& term) {
  const View view(term);
  if (!builder_.ok() || view.kind() != ExprKind::kProduct) return Number(term);
  const auto made = products_.find(term);
  if (made != products_.end()) return made->second;
  // On the way further ones are made.
  Value* const value = Product(view);
  products_.emplace(term, value);
  return value;
}

// Of minima in which one is never above the others, that one: an axis ends where it ends, not at
// the largest number there is.
Expr IndexCode::WithoutDecidedMinima(const Expr& e) {
  const View view(e);
  if (view.kind() == ExprKind::kMin) return LeastOf(e);
  if (view.kind() != ExprKind::kSum) return e;
  Expr sum = e;
  for (size_t i = 0; i < view.size(); ++i) {
    if (View(view.child(i)).kind() != ExprKind::kMin) continue;
    const Expr least = LeastOf(view.child(i));
    if (!(least == view.child(i))) sum += (least - view.child(i)) * view.coefficient(i);
  }
  return sum;
}

Expr IndexCode::LeastOf(const Expr& minimum) {
  const View view(minimum);
  for (size_t i = 0; i < view.size(); ++i) {
    const int64_t most = bounds_.Of(view.child(i)).hi;
    bool least = true;
    for (size_t k = 0; k < view.size() && least; ++k)
      least = k == i || most <= bounds_.Of(view.child(k)).lo;
    if (least) return view.child(i);
  }
  return minimum;
}

Value* IndexCode::Quotient(const Expr& numerator, const Expr& divisor) {
  if (divisor.IsConstant() && View(numerator).kind() == ExprKind::kSum &&
      !bounds_.FitI32(numerator))
    return QuotientByParts(numerator, *divisor.Constant());
  return Make("IndexQuotient", {Number(numerator), Number(divisor)});
}

// Of each term its whole quotients, and what the remainders come to together.
Value* IndexCode::QuotientByParts(const Expr& numerator, int64_t divisor) {
  const View view(numerator);
  const auto wrapped = [&](int64_t v) { return (v % divisor + divisor) % divisor; };
  // No sum on the way is beyond these.
  const double each = static_cast<double>(divisor);
  double wholes = std::abs(static_cast<double>(view.constant())) / each + 1, rests = each;
  for (size_t i = 0; i < view.size(); ++i) {
    const solver::Range range = bounds_.Of(view.child(i));
    const double most =
        std::max(std::abs(static_cast<double>(range.lo)), std::abs(static_cast<double>(range.hi)));
    wholes += std::ceil(std::abs(static_cast<double>(view.coefficient(i))) / each) * most;
    const int64_t left = wrapped(view.coefficient(i));
    rests += each * (IsSmallProduct(left, divisor) ? static_cast<double>(left) : 1);
  }
  constexpr double kMost = std::numeric_limits<int32_t>::max();
  if (wholes > kMost || rests > kMost) {
    Fits(numerator);  // the error
    return nullptr;
  }
  Value* whole = Constant((view.constant() - wrapped(view.constant())) / divisor);
  Value* rest = Constant(wrapped(view.constant()));
  for (size_t i = 0; i < view.size(); ++i) {
    const int64_t coefficient = view.coefficient(i), left = wrapped(coefficient);
    Value* const term = Number(view.child(i));
    const DivisionParts parts = DivideProduct(term, left, divisor, bounds_.Of(view.child(i)));
    if (coefficient != left)
      whole = Make("IndexSum", {whole, Scaled(term, (coefficient - left) / divisor)});
    whole = Make("IndexSum", {whole, parts.quotient});
    rest = Make("IndexSum", {rest, parts.remainder});
  }
  return Make("IndexSum", {whole, Make("IndexQuotient", {rest, Constant(divisor)})});
}

// Quotient and remainder of factor * term, 0 <= factor < divisor; of small ones a remainder that
// may hold the divisor again. Else digit by digit of the term, as many bits at a time as leave room
// for a remainder that is moved up by them.
IndexCode::DivisionParts IndexCode::DivideProduct(Value* term, int64_t factor, int64_t divisor,
                                                  solver::Range range) {
  if (IsSmallProduct(factor, divisor)) {
    Value* const wholes = Make("IndexQuotient", {term, Constant(divisor)});
    return {Scaled(wholes, factor),
            Scaled(Make("IndexDifference", {term, Scaled(wholes, divisor)}), factor)};
  }
  int bits = 0;
  while (bits < 15 && (int64_t{2} << bits) * divisor <= std::numeric_limits<int32_t>::max() / 2)
    ++bits;
  if (bits == 0 || range.lo < 0) {
    builder_.Fail(absl::UnimplementedError(
        absl::StrCat("sizes are computed in i32, which has no room for quotients by ", divisor)));
    return {};
  }
  const int64_t base = int64_t{1} << bits;
  std::vector<int64_t> weights = {1};
  while (weights.back() <= std::min(range.hi, kMostElements) / base)
    weights.push_back(weights.back() * base);
  Value *quotient = Constant(0), *remainder = Constant(0), *left = term;
  for (size_t i = weights.size(); i-- > 0;) {
    Value* const digit = Make("IndexQuotient", {left, Constant(weights[i])});
    left = Make("IndexDifference", {left, Scaled(digit, weights[i])});
    Value* const moved = Make("IndexSum", {Scaled(remainder, base), Scaled(digit, factor)});
    Value* const wholes = Make("IndexQuotient", {moved, Constant(divisor)});
    quotient = Make("IndexSum", {Scaled(quotient, base), wholes});
    remainder = Make("IndexDifference", {moved, Scaled(wholes, divisor)});
  }
  return {quotient, remainder};
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
  if (const Expr decided = WithoutDecidedMinima(e); !(decided == e)) return Number(decided);
  const View view(e);
  if ((view.kind() == ExprKind::kSum || view.kind() == ExprKind::kProduct) && !Fits(e))
    return nullptr;
  Value* value = nullptr;
  switch (view.kind()) {
    case ExprKind::kSymbol:
      value = Symbol(e);
      break;
    case ExprKind::kSum:
      value = Sum(view);
      break;
    case ExprKind::kProduct:
      value = Product(view);
      break;
    case ExprKind::kMin:
      value = Number(view.child(0));
      for (size_t i = 1; i < view.size(); ++i)
        value = Make("IndexLeast", {value, Number(view.child(i))});
      break;
    case ExprKind::kFloorDiv:
      value = Quotient(view.child(0), view.child(1));
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
