#include "targets/vulkan/kernels/index_text.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::vulkan {
namespace {

using solver::ExprKind;
using solver::View;

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

std::string NameOf(const Expr& symbol) { return std::string(View(symbol).symbol()); }

// The term `i` of a sum, as factors; those but one, multiplied.
std::vector<Expr> FactorsOf(const View& sum, size_t i) {
  const View term(sum.child(i));
  std::vector<Expr> factors;
  if (term.kind() != ExprKind::kProduct) return {sum.child(i)};
  for (size_t k = 0; k < term.size(); ++k) factors.push_back(term.child(k));
  return factors;
}
Expr Without(const std::vector<Expr>& factors, size_t i, int64_t coefficient) {
  Expr product = coefficient;
  for (size_t k = 0; k < factors.size(); ++k) {
    if (k != i) product *= factors[k];
  }
  return product;
}

// Where the terms `i` and `j` of a sum are r * a and -r * b * floordiv(a, b), what is greater than
// the absolute value of both together, which is that of r * mod(a, b).
std::optional<Expr> RemainderIn(const View& sum, size_t i, size_t j) {
  const std::vector<Expr> of_quotient = FactorsOf(sum, j), whole = FactorsOf(sum, i);
  for (size_t q = 0; q < of_quotient.size(); ++q) {
    const View quotient(of_quotient[q]);
    if (quotient.kind() != ExprKind::kFloorDiv) continue;
    const auto a = std::find(whole.begin(), whole.end(), quotient.child(0));
    if (a == whole.end()) continue;
    const Expr rest = Without(whole, static_cast<size_t>(a - whole.begin()), sum.coefficient(i));
    const Expr most = rest * quotient.child(1);
    if (Without(of_quotient, q, sum.coefficient(j)) + most == Expr(0)) return most;
  }
  return std::nullopt;
}

bool IsProposition(ExprKind kind) {
  return kind == ExprKind::kEqZero || kind == ExprKind::kGeZero || kind == ExprKind::kAnd;
}

}  // namespace

bool IsMultipleOf(const Expr& e, int64_t unit) {
  const solver::Congruence known = solver::CongruenceOf(e);
  return known.stride % unit == 0 && known.residue % unit == 0;
}

void IndexText::Bind(const Expr& symbol, Term term, const Expr& extent, int64_t multiple) {
  axes_[NameOf(symbol)] = {std::move(term), extent, multiple};
}
void IndexText::Unbind(const Expr& symbol) { axes_.erase(NameOf(symbol)); }

void IndexText::BindDigits(const std::vector<nests::Axis>& axes, std::string number, size_t depth) {
  for (size_t i = axes.size(); i-- > 0;) {
    const std::string length = Int(axes[i].extent).text;
    const std::string at =
        i == 0 ? number : code_.Variable(depth, "int", absl::StrCat(number, " % ", length)).text;
    if (i > 0) number = code_.Variable(depth, "int", absl::StrCat(number, " / ", length)).text;
    Bind(axes[i].symbol, {at, depth}, axes[i].extent);
  }
}

const Expr* IndexText::ExtentOf(const Expr& symbol) const {
  if (View(symbol).kind() != ExprKind::kSymbol) return nullptr;
  const auto found = axes_.find(View(symbol).symbol());
  return found == axes_.end() ? nullptr : &found->second.extent;
}

bool IndexText::IsMultiple(const Expr& e, int64_t unit) const {
  const View view(e);
  if (view.kind() == ExprKind::kSymbol) {
    const auto found = axes_.find(view.symbol());
    if (found != axes_.end()) return found->second.multiple % unit == 0;
  }
  if (view.kind() == ExprKind::kSum) {
    if (view.constant() % unit != 0) return false;
    for (size_t i = 0; i < view.size(); ++i) {
      const int64_t rest = unit / std::gcd(unit, view.coefficient(i));
      if (rest != 1 && !IsMultiple(view.child(i), rest)) return false;
    }
    return true;
  }
  if (view.kind() == ExprKind::kProduct) {
    for (size_t i = 0; i < view.size(); ++i) {
      if (IsMultiple(view.child(i), unit)) return true;
    }
  }
  return IsMultipleOf(e, unit);
}

bool IndexText::Varies(const Expr& e) const {
  const std::vector<std::string> symbols = solver::SymbolsOf(e);
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const std::string& name) { return axes_.count(name) != 0; });
}

Term IndexText::Parameter(const Expr& e) {
  auto found = std::find(parameters_.begin(), parameters_.end(), e);
  if (found == parameters_.end()) found = parameters_.insert(found, e);
  const int64_t number = found - parameters_.begin();
  return code_.Variable(0, "int", absl::StrCat("sized ? s", number, " : p.p", number));
}

std::string IndexText::Literal(int64_t value) {
  Limit(value);
  return value < 0 ? absl::StrCat("(", value, ")") : absl::StrCat(value);
}

Term IndexText::Int(const Expr& e) {
  const View view(e);
  if (view.kind() == ExprKind::kConstant) return {Literal(view.constant()), 0};
  if (view.kind() == ExprKind::kSymbol) {
    const auto axis = axes_.find(view.symbol());
    if (axis != axes_.end()) return axis->second.term;
  }
  if (!Varies(e)) return Parameter(e);
  switch (view.kind()) {
    case ExprKind::kSum:
      return Sum(e);
    case ExprKind::kProduct:
      return Product(e);
    default:
      return Compute(e);
  }
}

Term IndexText::Truth(const Expr& e) {
  if (const auto constant = e.Constant()) return {*constant != 0 ? "true" : "false", 0};
  const View view(e);
  if (!IsProposition(view.kind()) || !Varies(e)) {
    const Term value = Int(e);
    return code_.Variable(value.depth, "bool", absl::StrCat(value.text, " != 0"));
  }
  if (view.kind() != ExprKind::kAnd) {
    const Term value = Int(view.child(0));
    return code_.Variable(
        value.depth, "bool",
        absl::StrCat(value.text, view.kind() == ExprKind::kEqZero ? " == 0" : " >= 0"));
  }
  Term all = Truth(view.child(0));
  for (size_t i = 1; i < view.size(); ++i) {
    const Term next = Truth(view.child(i));
    all = code_.Variable(std::max(all.depth, next.depth), "bool",
                         absl::StrCat(all.text, " && ", next.text));
  }
  return all;
}

// Terms from the outermost block inwards, so that each block adds its part.
Term IndexText::Sum(const Expr& e) {
  const View view(e);
  struct Part {
    Term term;
    int64_t factor;
  };
  std::vector<Part> parts;
  Expr fixed = view.constant();  // what does not vary is one parameter
  for (size_t i = 0; i < view.size(); ++i) {
    if (Varies(view.child(i)))
      parts.push_back({Int(view.child(i)), view.coefficient(i)});
    else
      fixed += view.child(i) * view.coefficient(i);
  }
  if (fixed != Expr(0)) parts.push_back({Int(fixed), 1});
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.term.depth < b.term.depth; });
  Term sum;
  for (size_t i = 0; i < parts.size();) {
    const size_t depth = parts[i].term.depth;
    std::string text = sum.text;
    for (; i < parts.size() && parts[i].term.depth == depth; ++i) {
      if (!text.empty()) absl::StrAppend(&text, " + ");
      absl::StrAppend(&text, parts[i].term.text);
      if (parts[i].factor != 1) absl::StrAppend(&text, " * ", Literal(parts[i].factor));
    }
    sum = code_.Variable(std::max(depth, sum.depth), "int", text);
  }
  return sum;
}

Term IndexText::Product(const Expr& e) {
  const View view(e);
  std::vector<Term> factors;
  Expr fixed = 1;
  for (size_t i = 0; i < view.size(); ++i) {
    if (Varies(view.child(i)))
      factors.push_back(Int(view.child(i)));
    else
      fixed *= view.child(i);
  }
  if (fixed != Expr(1)) factors.push_back(Int(fixed));
  std::stable_sort(factors.begin(), factors.end(),
                   [](const Term& a, const Term& b) { return a.depth < b.depth; });
  Term product = factors.front();
  for (size_t i = 1; i < factors.size(); ++i)
    product = code_.Variable(std::max(product.depth, factors[i].depth), "int",
                             absl::StrCat(product.text, " * ", factors[i].text));
  return product;
}

Term IndexText::Compute(const Expr& e) {
  const View view(e);
  switch (view.kind()) {
    case ExprKind::kFloorDiv: {
      const Term a = Int(view.child(0)), b = Int(view.child(1));
      const bool natural = solver::RangeOf(view.child(0)).lo >= 0;
      return code_.Variable(std::max(a.depth, b.depth), "int",
                            natural ? absl::StrCat(a.text, " / ", b.text)
                                    : absl::StrCat("FloorDiv(", a.text, ", ", b.text, ")"));
    }
    case ExprKind::kMin: {
      Term least = Int(view.child(0));
      for (size_t i = 1; i < view.size(); ++i) {
        const Term next = Int(view.child(i));
        least = code_.Variable(std::max(least.depth, next.depth), "int",
                               absl::StrCat("min(", least.text, ", ", next.text, ")"));
      }
      return least;
    }
    case ExprKind::kIte: {
      const Term condition = Truth(view.child(0));
      const Term a = Int(view.child(1)), b = Int(view.child(2));
      return code_.Variable(std::max({condition.depth, a.depth, b.depth}), "int",
                            absl::StrCat(condition.text, " ? ", a.text, " : ", b.text));
    }
    default: {
      const Term truth = Truth(e);
      return code_.Variable(truth.depth, "int", absl::StrCat(truth.text, " ? 1 : 0"));
    }
  }
}

void IndexText::Limit(const Expr& e) {
  const Expr magnitude = AtMost(e);
  if (solver::RangeOf(magnitude).hi <= kMost ||
      std::find(limits_.begin(), limits_.end(), magnitude) != limits_.end())
    return;
  limits_.push_back(magnitude);
}

Expr IndexText::AtMost(const Expr& e) const {
  const View view(e);
  if (!Varies(e)) return solver::RangeOf(e).lo >= 0 ? e : solver::Max(e, -e);
  switch (view.kind()) {
    case ExprKind::kSymbol:  // the extent may vary with axes around it
      return AtMost(axes_.find(view.symbol())->second.extent);
    case ExprKind::kSum: {
      Expr sum = view.constant() < 0 ? -view.constant() : view.constant();
      std::vector<bool> counted(view.size(), false);
      for (size_t i = 0; i < view.size(); ++i) {
        if (counted[i]) continue;
        for (size_t j = 0; j < view.size() && !counted[i]; ++j) {
          const std::optional<Expr> remainder =
              i == j || counted[j] ? std::nullopt : RemainderIn(view, i, j);
          if (!remainder.has_value()) continue;
          counted[i] = counted[j] = true;
          sum += AtMost(*remainder);
        }
      }
      for (size_t i = 0; i < view.size(); ++i) {
        const int64_t factor = view.coefficient(i);
        if (!counted[i]) sum += AtMost(view.child(i)) * (factor < 0 ? -factor : factor);
      }
      return sum;
    }
    case ExprKind::kProduct: {
      Expr product = 1;
      for (size_t i = 0; i < view.size(); ++i) product *= solver::Max(1, AtMost(view.child(i)));
      return product;
    }
    case ExprKind::kFloorDiv:
      if (!Varies(view.child(1))) return solver::FloorDiv(AtMost(view.child(0)), view.child(1)) + 1;
      return AtMost(view.child(0)) + 1;
    default: {
      Expr sum = 1;
      for (size_t i = 0; i < view.size(); ++i) sum += AtMost(view.child(i));
      return sum;
    }
  }
}

}  // namespace tessera::vulkan
