#include "targets/circle/lowering/size_bounds.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "solver/ranges.h"

namespace tessera::circle {
namespace {

using solver::AddRanges;
using solver::Expr;
using solver::ExprKind;
using solver::MultiplyRanges;
using solver::Range;
using solver::RangeOfFloor;
using solver::ScaleRange;
using solver::View;

Range Both(Range a, Range b) { return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)}; }

// Whether `size` is plainly no less than `e`: it has that as a term and nothing negative beside it,
// or `e` is a part of what it is no less than.
bool Covers(const Expr& size, const Expr& e) {
  if (size == e) return true;
  const View view(size), part(e);
  if (part.kind() == ExprKind::kFloorDiv && solver::RangeOf(part.child(0)).lo >= 0)
    return Covers(size, part.child(0));
  if (part.kind() == ExprKind::kMin) {
    for (size_t i = 0; i < part.size(); ++i) {
      if (Covers(size, part.child(i))) return true;
    }
  }
  if (view.kind() != ExprKind::kSum) return false;
  for (size_t i = 0; i < view.size(); ++i) {
    if (view.child(i) == e && view.coefficient(i) >= 1) return solver::RangeOf(size - e).lo >= 0;
  }
  return false;
}

// Of factors, one of which divides what another is a quotient of: those two come to no more than
// what is divided, here its bounds and the other factors.
std::optional<std::pair<Expr, Expr>> WithoutDivisor(const View& product) {
  for (size_t i = 0; i < product.size(); ++i) {
    const View quotient(product.child(i));
    if (quotient.kind() != ExprKind::kFloorDiv) continue;
    for (size_t k = 0; k < product.size(); ++k) {
      if (!(product.child(k) == quotient.child(1))) continue;
      Expr others = 1;
      for (size_t other = 0; other < product.size(); ++other) {
        if (other != i && other != k) others *= product.child(other);
      }
      return std::pair(quotient.child(0), others);
    }
  }
  return std::nullopt;
}

}  // namespace

void SizeBounds::Multiply(const Expr& e, Factors& factors) {
  const View view(e);
  if (view.kind() == ExprKind::kConstant) {
    factors.number = ScaleRange({factors.number, factors.number}, view.constant()).lo;
  } else if (view.kind() == ExprKind::kProduct) {
    for (size_t i = 0; i < view.size(); ++i) factors.others.push_back(view.child(i));
  } else if (view.kind() == ExprKind::kSum && view.size() == 1 && view.constant() == 0) {
    Multiply(view.coefficient(0), factors);
    Multiply(view.child(0), factors);
  } else {
    factors.others.push_back(e);
  }
}

SizeBounds::Linear SizeBounds::LinearOf(const Expr& e) {
  const View view(e);
  if (view.kind() != ExprKind::kSum) return {e};
  int64_t factor = 0;
  for (size_t i = 0; i < view.size(); ++i) factor = std::gcd(factor, view.coefficient(i));
  Expr sum = 0;
  for (size_t i = 0; i < view.size(); ++i) sum += view.child(i) * (view.coefficient(i) / factor);
  return {sum, factor, view.constant()};
}

SizeBounds::SizeBounds(const ir::Graph& graph) {
  absl::flat_hash_set<std::pair<int64_t, std::vector<Expr>>> seen;
  const auto add = [&](const ir::Value* value) {
    Factors factors;
    for (const Expr& dim : value->type().dims) {
      if (dim.IsInvalid()) return;
      if (dim == Expr(0)) return;  // of no elements
      if (!dim.IsConstant() && sizes_.insert(dim).second) {
        const Linear linear = LinearOf(dim);
        proportional_.emplace(linear.sum, linear);
      }
      Multiply(dim, factors);
    }
    if (!factors.others.empty() && seen.emplace(factors.number, factors.others).second)
      shapes_.push_back(std::move(factors));
  };
  for (const ir::Value* input : graph.inputs()) add(input);
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    for (const ir::Value* result : op->results()) add(result);
  }
}

bool SizeBounds::IsInATensor(const Expr& e) {
  if (sizes_.contains(e)) return true;
  const auto covers = [](const Expr& part) {
    return [&part](const Expr& whole) { return Covers(whole, part); };
  };
  if (std::any_of(sizes_.begin(), sizes_.end(), covers(e))) return true;
  Factors asked;
  Multiply(e, asked);
  return std::any_of(shapes_.begin(), shapes_.end(), [&](const Factors& shape) {
    if (shape.number < asked.number) return false;
    std::vector<Expr> left = shape.others;
    return std::all_of(asked.others.begin(), asked.others.end(), [&](const Expr& part) {
      const auto found = std::find_if(left.begin(), left.end(), covers(part));
      if (found == left.end()) return false;
      left.erase(found);  // each counts once
      return true;
    });
  });
}

Range SizeBounds::Of(const Expr& e) {
  if (e.IsConstant()) return {*e.Constant(), *e.Constant()};
  if (e.IsInvalid()) return {};
  if (const auto known = known_.find(e); known != known_.end()) return known->second;
  Range range = Both(Compute(e), solver::RangeOf(e));
  // What is asked only where nothing else says it, since it looks at all tensors.
  if (range.hi > kMostElements && IsInATensor(e)) range.hi = kMostElements;
  // A multiple of what a multiple of is a size.
  const Linear linear = LinearOf(e);
  if (const auto size = proportional_.find(linear.sum); size != proportional_.end()) {
    const auto& [sum, factor, number] = size->second;
    const Range of_sum = RangeOfFloor(
        AddRanges({0, kMostElements}, ScaleRange({number, number}, -1)), {factor, factor});
    range =
        Both(range, AddRanges(ScaleRange(of_sum, linear.factor), {linear.number, linear.number}));
  }
  return known_[e] = range;
}

Range SizeBounds::Compute(const Expr& e) {
  const View view(e);
  switch (view.kind()) {
    case ExprKind::kSum: {
      Range sum{view.constant(), view.constant()};
      for (size_t i = 0; i < view.size(); ++i) {
        // A multiple that is as many as a tensor has, or fewer, is bounded as such.
        Range term = ScaleRange(Of(view.child(i)), view.coefficient(i));
        if (!(view.size() == 1 && view.constant() == 0) && view.coefficient(i) > 1 &&
            term.hi > kMostElements)
          term = Both(term, Of(view.child(i) * view.coefficient(i)));
        sum = AddRanges(sum, term);
      }
      return sum;
    }
    case ExprKind::kProduct: {
      Range product{1, 1};
      for (size_t i = 0; i < view.size(); ++i) product = MultiplyRanges(product, Of(view.child(i)));
      if (product.hi > kMostElements && solver::RangeOf(e).lo >= 0) {
        // d * floor(p / d) is p at most, and may be less.
        if (const auto parts = WithoutDivisor(view)) {
          product.hi = std::min(product.hi, MultiplyRanges(Of(parts->first), Of(parts->second)).hi);
        }
      }
      return product;
    }
    case ExprKind::kFloorDiv:
      return RangeOfFloor(Of(view.child(0)), Of(view.child(1)));
    case ExprKind::kMin: {
      Range least = Of(view.child(0));
      for (size_t i = 1; i < view.size(); ++i) {
        const Range other = Of(view.child(i));
        least = {std::min(least.lo, other.lo), std::min(least.hi, other.hi)};
      }
      return least;
    }
    case ExprKind::kIte: {
      const Range a = Of(view.child(1)), b = Of(view.child(2));
      return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case ExprKind::kEqZero:
    case ExprKind::kGeZero:
    case ExprKind::kAnd:
      return {0, 1};
    default:
      return {};  // all that is known is the solver's
  }
}

bool SizeBounds::FitI32(const Expr& e) {
  const Range range = Of(e);
  return range.lo >= std::numeric_limits<int32_t>::min() &&
         range.hi <= std::numeric_limits<int32_t>::max();
}

}  // namespace tessera::circle
