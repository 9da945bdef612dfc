#include "solver/bounds.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera::solver::internal {
namespace {

constexpr int64_t kNegInf = Range::kNegInf;
constexpr int64_t kPosInf = Range::kPosInf;
constexpr int kNodeBudget = 12;

Range RangeOfProduct(const Node* node) {
  Range result{1, 1};
  const absl::Span<const Slot> factors = node->slots();
  for (size_t i = 0; i < factors.size();) {
    const Node* base = factors[i].node;
    Range power = RangeOfNode(base);
    const Range once = power;
    size_t exponent = 1;
    for (++i; i < factors.size() && factors[i].node == base; ++i, ++exponent)
      power = MultiplyRanges(power, once);
    if (exponent % 2 == 0) power.lo = std::max<int64_t>(power.lo, 0);
    result = MultiplyRanges(result, power);
  }
  return result;
}

Range ComputeRange(const Node* node) {
  const absl::Span<const Slot> slots = node->slots();
  switch (node->kind) {
    case Kind::kSymbol:
      return node->store->symbols[static_cast<size_t>(node->constant)].info.range;
    case Kind::kQuotient: {
      const Range r = node->store->symbols[static_cast<size_t>(node->constant)].info.range;
      const int64_t stride = slots[0].value;
      const int64_t residue = slots[1].value;
      return RangeOfFloor({AddLow(r.lo, stride - 1 - residue), AddHigh(r.hi, -residue)},
                          {stride, stride});
    }
    case Kind::kSum: {
      Poly poly{PolyView(Store::Of(node))};
      return RangeOfPoly(*node->store, poly, kNodeBudget);
    }
    case Kind::kProduct:
      return RangeOfProduct(node);
    case Kind::kFloor:
      return RangeOfFloor(RangeOf(Store::Of(slots[0])), RangeOf(Store::Of(slots[1])));
    case Kind::kMin: {
      Range result = RangeOf(Store::Of(slots[0]));
      for (const Slot& slot : slots.subspan(1)) {
        const Range r = RangeOf(Store::Of(slot));
        result = {std::min(result.lo, r.lo), std::min(result.hi, r.hi)};
      }
      return result;
    }
    case Kind::kIte: {
      const Range a = RangeOf(Store::Of(slots[1]));
      const Range b = RangeOf(Store::Of(slots[2]));
      return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
    }
    case Kind::kEq:
    case Kind::kGe:
    case Kind::kAnd:
      return {0, 1};
    case Kind::kInvalid:
      break;
  }
  return {};
}

bool CanBeOpened(const Node* atom) {
  return atom->kind == Kind::kFloor || atom->kind == Kind::kMin || atom->kind == Kind::kIte ||
         atom->IsProposition();
}

// The greatest (hence outermost) atom before `limit` that can be opened; null: none.
const Node* OutermostAtom(const Poly& poly, const Node* limit) {
  const Node* best = nullptr;
  for (const Slot& term : poly.terms) {
    Slot scratch;
    for (const Slot& factor : FactorsOf(term.node, scratch)) {
      if (!CanBeOpened(factor.node) || (limit != nullptr && !Before(factor.node, limit))) continue;
      if (best == nullptr || Before(best, factor.node)) best = factor.node;
    }
  }
  return best;
}

int64_t CeilBound(int64_t v, int64_t scale) {
  if (v == kNegInf || v == kPosInf || scale == 1) return v;
  return -FloorQuotient(-v, scale);
}

bool HasProduct(const Poly& poly) {
  return std::any_of(poly.terms.begin(), poly.terms.end(),
                     [](const Slot& term) { return term.node->kind == Kind::kProduct; });
}

// Whether the interval of a polynomial is blind to a product that makes up for a negative term.
bool MayBeShifted(const Poly& poly) {
  bool product = false;
  bool negative = false;
  for (const Slot& term : poly.terms) {
    product |= term.value > 0 && term.node->kind == Kind::kProduct;
    negative |= term.value < 0;
  }
  return product && negative && poly.terms.size() <= 16;
}

class LowerBounds {
 public:
  LowerBounds(Store& store, int budget) : store_(store), budget_(budget) {}

  int64_t Of(const Poly& poly) {
    store_.work += 1 + poly.terms.size();
    int64_t best = IntervalOf(poly).lo;
    if (poly.terms.size() < 2) return best;
    if (best < 0 && MayBeShifted(poly)) best = std::max(best, LowerBoundOfProducts(store_, poly));
    const Node* limit = nullptr;
    for (int tries = 0; tries < 3; ++tries) {
      const Node* atom = OutermostAtom(poly, limit);
      if (atom == nullptr || budget_-- <= 0) break;
      limit = atom;
      Poly coefficient;
      Poly rest;
      if (!SplitLinear(store_, poly, atom, coefficient, rest)) continue;
      int64_t low = kNegInf;
      if (Open(atom, coefficient, rest, low)) return std::max(best, low);
    }
    return best;
  }

 private:
  int64_t At(const Poly& coefficient, const Expr& value, const Poly& rest) {
    Poly sum = Multiply(store_, coefficient, Poly(value));
    sum.AddScaled(rest, 1);
    return sum.ok ? Of(sum) : kNegInf;
  }

  bool Open(const Node* atom, const Poly& coefficient, const Poly& rest, int64_t& low) {
    const absl::Span<const Slot> slots = atom->slots();
    if (atom->kind == Kind::kFloor)
      return OpenFloor(Poly(Store::Of(slots[0])), Poly(Store::Of(slots[1])), coefficient, rest,
                       low);
    if (atom->kind != Kind::kMin) {
      const Expr a = atom->kind == Kind::kIte ? Store::Of(slots[1]) : Expr(1);
      const Expr b = atom->kind == Kind::kIte ? Store::Of(slots[2]) : Expr(0);
      low = At(coefficient, a, rest);
      if (low != kNegInf) low = std::min(low, At(coefficient, b, rest));
      return true;
    }
    const Range sign = IntervalOf(coefficient);
    if (sign.lo >= 0) {
      low = kPosInf;
      for (const Slot& slot : slots) {
        low = std::min(low, At(coefficient, Store::Of(slot), rest));
        if (low == kNegInf) break;
      }
      return true;
    }
    if (sign.hi > 0) return false;
    for (const Slot& slot : slots) low = std::max(low, At(coefficient, Store::Of(slot), rest));
    return true;
  }

  bool OpenFloor(const Poly& numerator, const Poly& divisor, const Poly& coefficient,
                 const Poly& rest, int64_t& low) {
    Poly multiple = coefficient;  // of numerator/divisor
    int64_t scale = 1;
    if (divisor.IsConstant()) {
      // Scaling by c/g, with g a common factor of c and the coefficient, is enough to make its
      // quotient by c an integer.
      const int64_t g =
          std::gcd(std::gcd(Content(coefficient),
                            coefficient.constant == kNegInf ? 1 : coefficient.constant),
                   divisor.constant);
      if (g > 1) {
        for (Slot& term : multiple.terms) term.value /= g;
        multiple.constant /= g;
      }
      scale = divisor.constant / g;
    } else {
      Poly remainder;
      if (!DivideWithRemainder(store_, coefficient, divisor, multiple, remainder) ||
          !remainder.IsZero())
        return false;
    }
    const Range sign = IntervalOf(multiple);
    Poly replaced = numerator;
    if (sign.lo >= 0) {
      replaced.AddScaled(divisor, -1);
      replaced.AddConstant(1);
    } else if (sign.hi > 0) {
      return false;
    }
    if (!replaced.ok) return false;
    Poly sum = Multiply(store_, multiple, replaced);
    sum.AddScaled(rest, scale);
    if (!sum.ok) return false;
    low = CeilBound(Of(sum), scale);
    return true;
  }

  Store& store_;
  int budget_;
};

}  // namespace

Range RangeOfNode(const Node* node) {
  if (node->store == nullptr) return {};  // the invalid node
  if (node->range_generation == node->store->generation) return node->range;
  if (node->computing_range) return {};  // a bound of it is being asked for on the way to it
  node->computing_range = true;
  const Range range = ComputeRange(node);
  node->computing_range = false;
  node->range = range;
  node->range_generation = node->store->generation;
  return range;
}

Range IntervalOf(const Poly& poly) {
  Range result{poly.constant, poly.constant};
  for (const Slot& term : poly.terms)
    result = AddRanges(result, ScaleRange(RangeOfNode(term.node), term.value));
  return result;
}

int64_t LowerBoundOfProducts(Store& store, const Poly& poly) {
  Poly shifted(poly.constant);
  for (const Slot& term : poly.terms) {
    Poly product(term.value);
    Slot scratch;
    for (const Slot& factor : FactorsOf(term.node, scratch)) {
      const int64_t lo = RangeOfNode(factor.node).lo;
      if (lo == kNegInf) return kNegInf;
      Poly sum(lo);
      sum.AddTerm(factor.node, 1);  // from here on the node stands for its value less lo
      product = Multiply(store, product, sum);
      if (!product.ok || product.terms.size() > 64) return kNegInf;
    }
    shifted.AddScaled(product, 1);
  }
  const bool grows = shifted.ok && std::all_of(shifted.terms.begin(), shifted.terms.end(),
                                               [](const Slot& t) { return t.value > 0; });
  return grows ? shifted.constant : kNegInf;
}

int64_t LowerBound(Store& store, const Poly& poly, int budget) {
  return LowerBounds(store, budget).Of(poly);
}

Range RangeOfPoly(Store& store, const Poly& poly, int budget) {
  Range result = IntervalOf(poly);
  if (poly.terms.size() < 2 || result.lo == result.hi ||
      (OutermostAtom(poly, nullptr) == nullptr && !HasProduct(poly)))
    return result;
  result.lo = std::max(result.lo, LowerBound(store, poly, budget));
  result.hi = std::min(result.hi, UpperBound(store, poly, budget));
  return result;
}

}  // namespace tessera::solver::internal

namespace tessera::solver {

Range RangeOf(const Expr& e) {
  const internal::Node* node = internal::Store::NodeOf(e);
  if (node == nullptr) return {*e.Constant(), *e.Constant()};
  return internal::RangeOfNode(node);
}

}  // namespace tessera::solver
