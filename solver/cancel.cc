#include "solver/cancel.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "solver/bounds.h"

namespace tessera::solver::internal {
namespace {

constexpr int kBoundBudget = 6;

// A common factor A of all terms of d, with R(A) >= 1; rules R7 and R8. On success p/d has the same
// floor as before.
bool CancelFactor(Store& store, const Node* factor, Poly& p, Poly& d) {
  Poly multiple;
  Poly remainder(p.constant);
  for (const Slot& term : p.terms) {
    const MonomialQuotient m = DivideMonomials(store, term.node, factor);
    if (!m.divides) {
      remainder.AddTerm(term.node, term.value);
    } else if (m.quotient == nullptr) {
      multiple.AddConstant(term.value);
    } else {
      multiple.AddTerm(m.quotient, term.value);
    }
  }
  if (!remainder.IsZero()) {
    Poly whole;
    whole.AddTerm(factor, 1);
    const auto absorb = [&] {
      Poly high = whole;
      high.AddConstant(-1);
      if (IsWithin(store, remainder, Poly(), high)) return true;
      Poly low = whole;
      low.Negate();
      if (!IsWithin(store, remainder, low, Poly(-1))) return false;
      multiple.AddConstant(-1);
      return true;
    };
    bool absorbed = absorb();
    for (size_t i = 0; !absorbed && i < multiple.terms.size(); ++i) {
      // floor(N/A) times A belongs to the remainder of N by A.
      const Slot term = multiple.terms[i];
      if (term.node->kind != Kind::kFloor || term.node->slots()[1].node != factor) continue;
      const Poly kept_multiple = multiple;
      const Poly kept_remainder = remainder;
      multiple.AddTerm(term.node, -term.value);
      remainder.AddTerm(MultiplyMonomials(store, term.node, factor), term.value);
      absorbed = absorb();
      if (!absorbed) {
        multiple = kept_multiple;
        remainder = kept_remainder;
      }
    }
    if (!absorbed) return false;
  }
  Poly divisor;
  for (const Slot& term : d.terms) {
    const MonomialQuotient m = DivideMonomials(store, term.node, factor);
    if (m.quotient == nullptr) {
      divisor.AddConstant(term.value);
    } else {
      divisor.AddTerm(m.quotient, term.value);
    }
  }
  if (!multiple.ok || !divisor.ok) return false;
  p = std::move(multiple);
  d = std::move(divisor);
  return true;
}

// Rules R7 and R8 for a number that divides d: all that d shares, or what it shares with a term.
bool CancelConstant(Store& store, Poly& p, Poly& d) {
  const int64_t whole = std::gcd(Content(d), d.constant == Range::kNegInf ? 1 : d.constant);
  if (whole <= 1) return false;
  const auto cancel = [&](int64_t g) {
    if (g <= 1) return false;
    Poly multiple(FloorQuotient(p.constant, g));
    Poly remainder(FloorRemainder(p.constant, g));
    for (const Slot& term : p.terms) {
      if (term.value % g == 0) {
        multiple.terms.push_back({term.node, term.value / g});
      } else {
        remainder.terms.push_back(term);
      }
    }
    if (!remainder.terms.empty() && !IsWithin(store, remainder, Poly(), Poly(g - 1))) return false;
    p = std::move(multiple);
    for (Slot& term : d.terms) term.value /= g;
    d.constant /= g;
    return true;
  };
  if (cancel(whole)) return true;
  for (size_t i = 0; i < p.terms.size(); ++i) {
    if (p.terms[i].value != Range::kNegInf && cancel(std::gcd(p.terms[i].value, whole)))
      return true;
  }
  return false;
}

}  // namespace

bool IsWithin(Store& store, const Poly& p, const Poly& low, const Poly& high) {
  Poly above = p;
  above.AddScaled(low, -1);
  if (!above.ok || LowerBound(store, above, kBoundBudget) < 0) return false;
  Poly below = high;
  below.AddScaled(p, -1);
  return below.ok && LowerBound(store, below, kBoundBudget) >= 0;
}

bool DropRemainder(Store& store, Poly& p, int64_t& c) {
  for (const Slot& term : p.terms) {
    if (term.node->kind != Kind::kFloor) continue;
    const Slot& divisor = term.node->slots()[1];
    if (divisor.node != nullptr) continue;
    const int64_t g = divisor.value;
    if (g >= c || c % g != 0 || term.value % g != 0) continue;
    Poly remainder(FloorRemainder(p.constant, g));
    for (const Slot& t : p.terms) {
      if (t.value % g != 0) remainder.AddTerm(t.node, t.value);
    }
    // The share of this term that makes the remainder small: -g times the coefficient of N in it.
    const Poly inner(Store::Of(term.node->slots()[0]));
    int64_t share = 0;
    for (const Slot& t : remainder.terms) {
      for (const Slot& u : inner.terms) {
        if (u.node != t.node || (u.value == -1 && t.value == Range::kNegInf)) continue;
        if (t.value % u.value == 0) share = t.value / u.value;
      }
      if (share != 0) break;
    }
    int64_t coefficient;
    if (share == 0 || __builtin_mul_overflow(share, -g, &coefficient)) continue;
    remainder.AddTerm(term.node, coefficient);
    if (!remainder.ok || !IsWithin(store, remainder, Poly(), Poly(g - 1))) continue;
    p.AddScaled(remainder, -1);
    if (!p.ok) return false;
    for (Slot& t : p.terms) t.value /= g;
    p.constant /= g;
    c /= g;
    return true;
  }
  return false;
}

bool DropSmallTerms(Poly& p, int64_t& c) {
  for (const Slot& candidate : p.terms) {
    const int64_t g = std::gcd(candidate.value, c);
    if (g <= 1) continue;
    Poly remainder(FloorRemainder(p.constant, g));
    for (const Slot& t : p.terms) {
      if (t.value % g != 0) remainder.terms.push_back(t);
    }
    const Range r = IntervalOf(remainder);
    if (r.lo < 0 || r.hi >= g) continue;
    p.constant = FloorQuotient(p.constant, g);
    size_t kept = 0;
    for (size_t i = 0; i < p.terms.size(); ++i) {
      if (p.terms[i].value % g == 0) p.terms[kept++] = {p.terms[i].node, p.terms[i].value / g};
    }
    p.terms.truncate(kept);
    c /= g;
    return true;
  }
  return false;
}

bool CancelAnyFactor(Store& store, Poly& p, Poly& d) {
  if (CancelConstant(store, p, d)) return true;
  if (d.constant != 0) return false;
  Slot scratch;
  const Node* first = d.terms[0].node;
  const Node* previous = nullptr;
  for (const Slot& factor : FactorsOf(first, scratch)) {
    const Node* a = factor.node;
    if (a == previous) continue;
    previous = a;
    if (!std::all_of(d.terms.begin(), d.terms.end(),
                     [&](const Slot& t) { return Contains(t.node, a); }))
      continue;
    if (RangeOfNode(a).lo >= 1 && CancelFactor(store, a, p, d)) return true;
  }
  return false;
}

}  // namespace tessera::solver::internal
