#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "solver/bounds.h"
#include "solver/cancel.h"
#include "solver/rules.h"

namespace tessera::solver::internal {
namespace {

constexpr int kBoundBudget = 6;
constexpr int kMaxRounds = 64;

bool HasRelatedAtoms(const Poly& poly) {
  if (poly.terms.size() < 2) return false;
  for (const Slot& term : poly.terms) {
    if (term.node->kind != Kind::kSymbol && term.node->kind != Kind::kQuotient) return true;
  }
  return false;
}

// The k of rule R6, if there is one.
bool Collapses(Store& store, const Poly& p, int64_t c, int64_t* k) {
  const auto within = [&](Range r) {
    if (r.lo == Range::kNegInf || r.hi == Range::kPosInf) return false;
    *k = FloorQuotient(r.lo, c);
    return *k == FloorQuotient(r.hi, c);
  };
  if (within(IntervalOf(p))) return true;
  return HasRelatedAtoms(p) && within(RangeOfPoly(store, p, kBoundBudget));
}

// Rule R4: opens one inner floor with coefficient 1 or -1, the outermost. On success p/d has the
// same floor as before.
bool OpenNested(Store& store, Poly& p, Poly& d) {
  const Slot* found = nullptr;
  for (const Slot& term : p.terms) {
    if (term.node->kind != Kind::kFloor || (term.value != 1 && term.value != -1)) continue;
    if (found == nullptr || Before(found->node, term.node)) found = &term;
  }
  if (found == nullptr) return false;
  const Slot term = *found;
  const Poly inner_divisor(Store::Of(term.node->slots()[1]));
  Poly rest = p;
  rest.AddTerm(term.node, -term.value);
  Poly numerator = Multiply(store, rest, inner_divisor);
  numerator.AddScaled(Poly(Store::Of(term.node->slots()[0])), term.value);
  if (term.value < 0) {
    numerator.AddScaled(inner_divisor, 1);
    numerator.AddConstant(-1);
  }
  Poly divisor = Multiply(store, d, inner_divisor);
  if (!numerator.ok || !divisor.ok || numerator.terms.size() > 32 || divisor.terms.size() > 16)
    return false;
  p = std::move(numerator);
  d = std::move(divisor);
  return true;
}

}  // namespace

Expr FloorByConstant(Store& store, const Poly& numerator, int64_t c) {
  Poly p = numerator;
  Poly q;
  int64_t k = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    if (c == 1) {
      q.AddScaled(p, 1);
      return Finish(store, q);
    }
    // R1 with remainders that keep their signs, so that related atoms still cancel in the range of
    // R6.
    const bool related = HasRelatedAtoms(p);
    if (related) {
      Poly same_sign(FloorRemainder(p.constant, c));
      for (const Slot& term : p.terms) {
        if (term.value % c != 0) same_sign.terms.push_back({term.node, term.value % c});
      }
      if (!same_sign.terms.empty() && Collapses(store, same_sign, c, &k)) {
        p.AddScaled(same_sign, -1);
        for (Slot& term : p.terms) term.value /= c;
        p.constant /= c;
        q.AddScaled(p, 1);
        q.AddConstant(k);
        return Finish(store, q);
      }
      if (DropRemainder(store, p, c)) continue;
    }
    // R1.
    Poly whole(FloorQuotient(p.constant, c));
    Poly part(FloorRemainder(p.constant, c));
    for (const Slot& term : p.terms) {
      const int64_t quotient = SymmetricQuotient(term.value, c);
      if (quotient != 0) whole.terms.push_back({term.node, quotient});
      if (term.value != quotient * c) part.terms.push_back({term.node, term.value - quotient * c});
    }
    p = std::move(part);
    if (!whole.IsZero()) {
      q.AddScaled(whole, 1);
      if (related && !p.terms.empty()) continue;  // the rules above see the new coefficients
    }
    if (p.terms.empty()) return Finish(store, q);
    // R2.
    const int64_t g = std::gcd(Content(p), c);
    if (g > 1) {
      for (Slot& term : p.terms) term.value /= g;
      p.constant /= g;
      c /= g;
      continue;
    }
    if (p.terms.size() > 1 && DropSmallTerms(p, c)) continue;
    // R4.
    Poly d(c);
    if (!OpenNested(store, p, d)) break;
    if (!d.IsConstant()) {
      const Expr rest = Floor(store, p, d);
      if (IsInvalid(rest)) return rest;
      q.AddScaled(Poly(rest), 1);
      return Finish(store, q);
    }
    c = d.constant;
  }
  // R6.
  if (Collapses(store, p, c, &k)) {
    q.AddConstant(k);
    return Finish(store, q);
  }
  // R5.
  bool negative = false;
  for (const Slot& term : p.terms) {
    if (term.value == c - term.value) continue;
    negative = term.value < 0;
    break;
  }
  if (negative) {
    p.constant = c - 1 - p.constant;
    for (Slot& term : p.terms) {
      if (term.value == c - term.value) {
        q.AddTerm(term.node, 1);  // -floor((... - c/2*t)/c) = t - floor((... + c/2*t)/c)
      } else {
        term.value = -term.value;
      }
    }
  }
  // R10.
  if (store.tie_rule && c % 2 == 0 && p.constant >= c / 2) {
    p.constant -= c / 2;
    const Expr twice = FloorByConstant(store, p, c / 2);
    const Expr once = FloorByConstant(store, p, c);
    if (IsInvalid(twice) || IsInvalid(once)) return Expr::Invalid();
    q.AddScaled(PolyView(twice), negative ? -1 : 1);
    q.AddScaled(PolyView(once), negative ? 1 : -1);
    return Finish(store, q);
  }
  const Slot slots[] = {Store::SlotOf(Finish(store, p)), {nullptr, c}};
  const Expr atom = store.Atom(Kind::kFloor, 0, slots);
  if (IsInvalid(atom)) return atom;
  q.AddTerm(Store::NodeOf(atom), negative ? -1 : 1);
  return Finish(store, q);
}

namespace {

// Rule R10 for a polynomial divisor 2*h: where p has less terms without h.
bool HasHalf(const Poly& p, const Poly& d, Poly& half, Poly& rest) {
  if (Content(d) % 2 != 0 || d.constant % 2 != 0) return false;
  half = d;
  for (Slot& term : half.terms) term.value /= 2;
  half.constant /= 2;
  rest = p;
  rest.AddScaled(half, -1);
  return rest.ok && rest.terms.size() < p.terms.size();
}

}  // namespace

Expr Floor(Store& store, const Poly& numerator, const Poly& divisor) {
  if (divisor.IsConstant())
    return divisor.constant >= 1 ? FloorByConstant(store, numerator, divisor.constant)
                                 : Expr::Invalid();
  Poly p = numerator;
  Poly d = divisor;
  Poly q;
  const auto add = [&](const Expr& rest) {
    if (IsInvalid(rest)) return rest;
    q.AddScaled(Poly(rest), 1);
    return Finish(store, q);
  };
  for (int round = 0; round < kMaxRounds; ++round) {
    if (p.IsZero()) return Finish(store, q);
    // R6'.
    Poly high = d;
    high.AddConstant(-1);
    if (IsWithin(store, p, Poly(), high)) return Finish(store, q);
    Poly low = d;
    low.Negate();
    if (IsWithin(store, p, low, Poly(-1))) {
      q.AddConstant(-1);
      return Finish(store, q);
    }
    // R3.
    Poly whole;
    Poly rest;
    if (DivideWithRemainder(store, p, d, whole, rest) && !whole.IsZero()) {
      q.AddScaled(whole, 1);
      p = std::move(rest);
      continue;
    }
    if (CancelAnyFactor(store, p, d)) {
      if (d.IsConstant())
        return d.constant >= 1 ? add(FloorByConstant(store, p, d.constant)) : Expr::Invalid();
      continue;
    }
    if (!OpenNested(store, p, d)) break;
  }
  // R10.
  Poly half;
  Poly without;
  if (store.tie_rule && HasHalf(p, d, half, without)) {
    const Expr twice = Floor(store, without, half);
    const Expr once = Floor(store, without, d);
    if (IsInvalid(twice) || IsInvalid(once)) return Expr::Invalid();
    q.AddScaled(PolyView(once), -1);
    return add(twice);
  }
  // R5'.
  const bool negative = p.IsConstant() ? p.constant < 0 : p.terms[0].value < 0;
  if (negative) {
    p.Negate();
    p.AddConstant(-1);
  }
  const Expr n = Finish(store, p);
  const Expr m = Finish(store, d);
  if (IsInvalid(n) || IsInvalid(m)) return Expr::Invalid();
  const Slot slots[] = {Store::SlotOf(n), Store::SlotOf(m)};
  const Expr atom = store.Atom(Kind::kFloor, 0, slots);
  if (IsInvalid(atom)) return atom;
  q.AddTerm(Store::NodeOf(atom), negative ? -1 : 1);
  if (negative) q.AddConstant(-1);
  return Finish(store, q);
}

}  // namespace tessera::solver::internal
