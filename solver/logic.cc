#include <algorithm>
#include <numeric>
#include <utility>

#include "solver/bounds.h"
#include "solver/rules.h"

namespace tessera::solver::internal {
namespace {

// p or 1 - p for an atom p; null if e has another form.
const Node* PropositionAtom(const Expr& e, bool* negated) {
  const Node* node = Store::NodeOf(e);
  if (node == nullptr) return nullptr;
  *negated = false;
  if (node->IsProposition()) return node;
  if (node->kind != Kind::kSum || node->constant != 1 || node->size != 1) return nullptr;
  const Slot& term = node->slots()[0];
  *negated = true;
  return term.value == -1 && term.node->IsProposition() ? term.node : nullptr;
}

// Divides by factors that all terms share and that are positive by their range.
void DropPositiveFactors(Store& store, Poly& poly) {
  while (poly.constant == 0 && !poly.terms.empty()) {
    Slot scratch;
    const Node* common = nullptr;
    for (const Slot& factor : FactorsOf(poly.terms[0].node, scratch)) {
      const Node* atom = factor.node;
      if (RangeOfNode(atom).lo < 1) continue;
      if (std::all_of(poly.terms.begin(), poly.terms.end(),
                      [&](const Slot& t) { return Contains(t.node, atom); })) {
        common = atom;
        break;
      }
    }
    if (common == nullptr) return;
    Poly quotient;
    for (const Slot& term : poly.terms) {
      const MonomialQuotient m = DivideMonomials(store, term.node, common);
      if (m.quotient == nullptr) {
        quotient.AddConstant(term.value);
      } else {
        quotient.AddTerm(m.quotient, term.value);
      }
    }
    poly = std::move(quotient);
  }
}

// poly = a*p + b for a single proposition p.
bool IsInOneProposition(const Poly& poly) {
  return poly.terms.size() == 1 && poly.terms[0].node->IsProposition();
}

// The proposition that is `if_true` where p holds, `if_false` elsewhere.
Expr Choose(const Node* p, bool if_true, bool if_false) {
  if (if_true == if_false) return int64_t{if_true};
  return if_true ? Store::Of(p) : Expr(1) - Store::Of(p);
}

bool SlotBefore(const Slot& a, const Slot& b) {
  if (a.node != b.node) return Before(a.node, b.node);
  return a.value < b.value;
}

// What mod(N, d) == k says, as arithmetic: 1 + floor(M/d) - floor((M + d - 1)/d) with M = N - k,
// for 0 <= k < d. `zero` is what is 0 in the proposition, +-(N - d*floor(N/d) - k).
struct Remainder {
  Poly divisor;
  Expr indicator;  // 0 or 1
};
bool IsRemainder(Store& store, const Poly& zero, Remainder& result) {
  for (const Slot& term : zero.terms) {
    if (term.node->kind != Kind::kFloor && term.node->kind != Kind::kProduct) continue;
    Slot scratch;
    const Node* floor = nullptr;
    for (const Slot& factor : FactorsOf(term.node, scratch)) {
      if (factor.node->kind == Kind::kFloor) floor = factor.node;
    }
    if (floor == nullptr) continue;
    const Poly divisor(Store::Of(floor->slots()[1]));
    const Poly numerator(Store::Of(floor->slots()[0]));
    Poly once;
    once.AddTerm(floor, 1);
    const Poly multiple = Multiply(store, divisor, once);
    for (const int64_t sign : {1, -1}) {
      // sign*zero + divisor*floor - numerator = -k
      Poly rest = multiple;
      rest.AddScaled(zero, sign);
      rest.AddScaled(numerator, -1);
      if (!rest.ok || !rest.IsConstant() || rest.constant > 0 || rest.constant == Range::kNegInf)
        continue;
      Poly last = divisor;
      last.AddConstant(rest.constant - 1);
      if (LowerBound(store, last, 4) < 0) continue;  // k may be no remainder
      Poly low = numerator;
      low.AddConstant(rest.constant);
      Poly high = low;
      high.AddScaled(divisor, 1);
      high.AddConstant(-1);
      if (!low.ok || !high.ok) continue;
      result.divisor = divisor;
      result.indicator = Expr(1) + Floor(store, low, divisor) - Floor(store, high, divisor);
      return !IsInvalid(result.indicator);
    }
  }
  return false;
}

}  // namespace

bool IsProposition(const Expr& e) {
  if (const auto c = e.Constant()) return *c == 0 || *c == 1;
  bool negated;
  if (PropositionAtom(e, &negated) != nullptr) return true;
  const Node* node = Store::NodeOf(e);
  if (node->kind != Kind::kIte) return false;
  return IsProposition(Store::Of(node->slots()[1])) && IsProposition(Store::Of(node->slots()[2]));
}

Expr ToProposition(const Expr& e) { return IsInvalid(e) || IsProposition(e) ? e : Ne(e, 0); }

Expr IsZero(Store& store, const Poly& input) {
  if (!input.ok) return Expr::Invalid();
  Poly poly = input;
  if (poly.IsConstant()) return int64_t{poly.constant == 0};
  DropPositiveFactors(store, poly);
  if (!poly.ok || poly.constant == Range::kNegInf) return Expr::Invalid();
  if (poly.IsConstant()) return int64_t{poly.constant == 0};
  const int64_t g = Content(poly);
  if (g > 1) {
    if (poly.constant % g != 0) return 0;
    for (Slot& term : poly.terms) term.value /= g;
    poly.constant /= g;
  }
  if (IsInOneProposition(poly))
    return Choose(poly.terms[0].node, poly.terms[0].value + poly.constant == 0, poly.constant == 0);
  if (poly.terms[0].value < 0) poly.Negate();
  if (!poly.ok) return Expr::Invalid();
  const Expr e = Finish(store, poly);
  if (!RangeOf(e).Contains(0)) return 0;
  const Slot slots[] = {Store::SlotOf(e)};
  return store.Atom(Kind::kEq, 0, slots);
}

Expr IsNonNegative(Store& store, const Poly& input) {
  if (!input.ok) return Expr::Invalid();
  Poly poly = input;
  if (poly.IsConstant()) return int64_t{poly.constant >= 0};
  DropPositiveFactors(store, poly);
  if (!poly.ok) return Expr::Invalid();
  if (poly.IsConstant()) return int64_t{poly.constant >= 0};
  const int64_t g = Content(poly);
  if (g > 1) {
    for (Slot& term : poly.terms) term.value /= g;
    poly.constant = FloorQuotient(poly.constant, g);
  }
  if (IsInOneProposition(poly))
    return Choose(poly.terms[0].node, poly.terms[0].value + poly.constant >= 0, poly.constant >= 0);
  const bool negated = poly.terms[0].value < 0;
  if (negated) {
    poly.Negate();
    poly.AddConstant(-1);
  }
  if (!poly.ok) return Expr::Invalid();
  const Expr e = Finish(store, poly);
  const Range range = RangeOf(e);
  Expr result;
  if (range.lo >= 0) {
    result = 1;
  } else if (range.hi < 0) {
    result = 0;
  } else {
    const Slot slots[] = {Store::SlotOf(e)};
    result = store.Atom(Kind::kGe, 0, slots);
  }
  return negated ? Expr(1) - result : result;
}

Expr Conjunction(Store& store, const Expr& a, const Expr& b) {
  Slots parts;
  for (const Expr& e : {a, b}) {
    if (const auto c = e.Constant()) {
      if (*c == 0) return 0;
      continue;
    }
    const Node* node = Store::NodeOf(e);
    if (node->kind == Kind::kAnd) {
      parts.append(node->slots().begin(), node->slots().end());
    } else {
      parts.push_back(Store::SlotOf(e));
    }
  }
  if (parts.size() > kMaxTerms) {
    // Too long to keep flat.
    parts = Slots{Store::SlotOf(a), Store::SlotOf(b)};
  }
  std::sort(parts.begin(), parts.end(), SlotBefore);
  parts.truncate(static_cast<size_t>(std::unique(parts.begin(), parts.end()) - parts.begin()));
  if (parts.empty()) return 1;
  if (parts.size() == 1) return Store::Of(parts[0]);
  if (parts.size() <= 16) {
    for (const Slot& part : parts) {
      const Slot opposite = Store::SlotOf(Expr(1) - Store::Of(part));
      if (std::binary_search(parts.begin(), parts.end(), opposite, SlotBefore)) return 0;
    }
  }
  return store.Atom(Kind::kAnd, 0, parts);
}

Expr IfThenElse(Store& store, const Expr& condition, const Expr& if_true, const Expr& if_false) {
  Expr c = condition;
  Expr a = if_true;
  Expr b = if_false;
  if (const auto known = c.Constant()) return *known != 0 ? a : b;
  if (a == b) return a;
  bool negated = false;
  const Node* atom = PropositionAtom(c, &negated);
  if (atom != nullptr && negated) {
    c = Store::Of(atom);
    std::swap(a, b);
  }
  // R13.
  if (atom != nullptr && atom->kind == Kind::kEq) {
    const Poly zero(Store::Of(atom->slots()[0]));
    Poly difference{PolyView(a)};
    difference.AddScaled(PolyView(b), -1);
    Poly quotient;
    Poly rest;
    Poly opposite = zero;
    opposite.Negate();
    if (difference.ok && opposite.ok && !difference.IsConstant() &&
        (DivideWithRemainder(store, difference, zero, quotient, rest) ||
         DivideWithRemainder(store, difference, opposite, quotient, rest)) &&
        !quotient.IsZero()) {
      if (rest.IsZero()) return b;
      Poly there = rest;
      there.AddScaled(PolyView(b), 1);
      a = Finish(store, there);
      if (IsInvalid(a)) return a;
      difference = std::move(rest);
    }
    Remainder remainder;
    Poly multiple;
    if (difference.ok && IsRemainder(store, zero, remainder)) {
      const Poly& d = remainder.divisor;
      const bool divides =
          d.IsConstant()
              ? difference.constant != Range::kNegInf && difference.constant % d.constant == 0 &&
                    (difference.IsConstant() || Content(difference) % d.constant == 0)
              : DivideWithRemainder(store, difference, d, quotient, rest) && rest.IsZero();
      if (divides)
        return b + Store::Of(Store::SlotOf(Finish(store, difference))) * remainder.indicator;
    }
  }
  const PolyView x(a);
  const PolyView y(b);
  // R11: ite(d >= 0, e, e') where e - e' is a multiple of d or of d + 1 (which is 0 where d is -1).
  if (atom != nullptr && atom->kind == Kind::kGe) {
    Poly difference(x);
    difference.AddScaled(y, -1);
    const Expr d = Store::Of(atom->slots()[0]);
    for (int64_t k : {0, 1}) {
      const Expr bound = d + k;
      const PolyView z(bound);
      if (!difference.ok || difference.terms.empty() || z.terms.empty() ||
          difference.terms[0].value % z.terms[0].value != 0)
        continue;
      const int64_t factor = difference.terms[0].value / z.terms[0].value;
      Poly rest = difference;
      rest.AddScaled(z, -factor);
      if (rest.ok && rest.IsZero()) return b + factor * Maximum(store, bound, 0);
    }
  }
  Poly common(y.constant);
  Poly p;
  Poly q;
  if (__builtin_sub_overflow(x.constant, y.constant, &p.constant)) return Expr::Invalid();
  size_t i = 0;
  for (const Slot& term : x.terms) {
    while (i < y.terms.size() && Before(y.terms[i].node, term.node))
      q.terms.push_back(y.terms[i++]);
    if (i < y.terms.size() && y.terms[i] == term) {
      common.terms.push_back(term);
      ++i;
      continue;
    }
    p.terms.push_back(term);
  }
  q.terms.append(y.terms.begin() + i, y.terms.end());
  if (p.IsConstant() && q.IsConstant() && atom != nullptr) {
    common.AddTerm(atom, p.constant);
    return Finish(store, common);
  }
  if (p.constant == Range::kNegInf) return Expr::Invalid();
  int64_t g = std::gcd(std::gcd(Content(p), Content(q)), p.constant);
  if ((p.terms.empty() ? q.terms[0].value : p.terms[0].value) < 0) g = -g;
  for (Poly* poly : {&p, &q}) {
    for (Slot& term : poly->terms) {
      if (g == -1 && term.value == Range::kNegInf) return Expr::Invalid();
      term.value /= g;
    }
    poly->constant /= g;
  }
  const Slot slots[] = {Store::SlotOf(c), Store::SlotOf(Finish(store, p)),
                        Store::SlotOf(Finish(store, q))};
  const Expr chosen = store.Atom(Kind::kIte, 0, slots);
  if (IsInvalid(chosen)) return chosen;
  common.AddTerm(Store::NodeOf(chosen), g);
  return Finish(store, common);
}

}  // namespace tessera::solver::internal
