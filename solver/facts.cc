#include "solver/facts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "solver/bounds.h"
#include "solver/rules.h"

namespace tessera::solver::internal {
namespace {

using Wide = __int128;
constexpr int kMaxRounds = 64;
// Into how many facts one about a sum of minima is taken apart: each minimum multiplies them.
constexpr size_t kMostParts = 32;

bool IsLeaf(const Node* node) {
  return node->kind == Kind::kSymbol || node->kind == Kind::kQuotient;
}

// x with a*x == b mod m, as a congruence of x; false: there is none.
bool SolveCongruence(int64_t a, int64_t b, int64_t m, Congruence* x) {
  const int64_t g = std::gcd(a, m);
  if (b % g != 0) return false;
  const int64_t modulus = m / g;
  // Extended Euclid: the inverse of a/g mod modulus.
  Wide r0 = modulus;
  Wide r1 = FloorRemainder(a / g, modulus);
  Wide t0 = 0;
  Wide t1 = 1;
  while (r1 != 0) {
    const Wide q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    t0 = std::exchange(t1, t0 - q * t1);
  }
  Wide value = (t0 % modulus) * FloorRemainder(b / g, modulus) % modulus;
  if (value < 0) value += modulus;
  *x = {modulus, static_cast<int64_t>(value)};
  return true;
}

// Both at once; false: nothing satisfies both, `overflow` apart.
bool Intersect(const Congruence& a, const Congruence& b, Congruence* both, bool* overflow) {
  const Wide stride = static_cast<Wide>(a.stride) / std::gcd(a.stride, b.stride) * b.stride;
  // a.residue + a.stride*k == b.residue mod b.stride
  const Wide gap = static_cast<Wide>(b.residue) - a.residue;
  Congruence k;
  if (!SolveCongruence(a.stride, static_cast<int64_t>(gap), b.stride, &k)) return false;
  *overflow = stride > (Wide{1} << 62);
  if (!*overflow)
    *both = {static_cast<int64_t>(stride),
             static_cast<int64_t>((a.residue + static_cast<Wide>(a.stride) * k.residue) % stride)};
  return true;
}

}  // namespace

bool Tighten(Range& range, const Congruence& c) {
  if (c.stride > 1) {
    if (range.lo != Range::kNegInf) {
      const Wide up = static_cast<Wide>(range.lo) +
                      FloorRemainder(c.residue - FloorRemainder(range.lo, c.stride), c.stride);
      if (up > Range::kPosInf) return false;
      range.lo = static_cast<int64_t>(up);
    }
    if (range.hi != Range::kPosInf) {
      const Wide down = static_cast<Wide>(range.hi) -
                        FloorRemainder(FloorRemainder(range.hi, c.stride) - c.residue, c.stride);
      if (down < Range::kNegInf) return false;
      range.hi = static_cast<int64_t>(down);
    }
  }
  return range.lo <= range.hi;
}

bool FactApplier::Apply(const Expr& fact) {
  pending_ = {fact};
  for (int round = 0; round < kMaxRounds && !pending_.empty(); ++round) {
    const std::vector<Expr> batch = std::exchange(pending_, {});
    for (const Expr& e : batch) {
      if (!ApplyOne(Rebuild(e, {.leaf = CurrentLeaf}))) return false;
    }
    if (!changed_) continue;
    changed_ = false;
    // Everything that was said of the symbols that changed is said anew.
    const std::vector<Expr> hypotheses = std::exchange(store_.hypotheses, {});
    pending_.insert(pending_.end(), hypotheses.begin(), hypotheses.end());
  }
  store_.hypotheses.insert(store_.hypotheses.end(), pending_.begin(), pending_.end());
  return true;
}

bool FactApplier::ApplyOne(const Expr& fact) {
  if (const auto known = fact.Constant()) return *known != 0;
  if (IsInvalid(fact)) return true;  // too large to reason with; says nothing
  const Node* node = Store::NodeOf(fact);
  if (node->kind == Kind::kAnd) {
    // What one part says of a symbol changes what the next one is about.
    return std::all_of(node->slots().begin(), node->slots().end(), [&](const Slot& part) {
      return ApplyOne(Rebuild(Store::Of(part), {.leaf = CurrentLeaf}));
    });
  }
  if (node->kind == Kind::kEq) return ApplyZero(fact, Store::Of(node->slots()[0]));
  if (node->kind == Kind::kGe) return ApplyNonNegative(fact, Poly(Store::Of(node->slots()[0])));
  const Node* denied = Store::NodeOf(Expr(1) - fact);
  if (denied != nullptr && denied->kind == Kind::kGe) {
    Poly poly(Store::Of(denied->slots()[0]));
    poly.Negate();
    poly.AddConstant(-1);
    return poly.ok ? ApplyNonNegative(fact, poly) : Keep(fact);
  }
  if (denied != nullptr && denied->kind == Kind::kEq)
    return ApplyNonZero(fact, Poly(Store::Of(denied->slots()[0])));
  return Keep(fact);
}

bool FactApplier::Keep(const Expr& fact) {
  if (std::find(store_.hypotheses.begin(), store_.hypotheses.end(), fact) ==
      store_.hypotheses.end())
    store_.hypotheses.push_back(fact);
  return true;
}

bool FactApplier::Changed(SymbolEntry& entry) {
  store_.NewGeneration();
  changed_ = true;
  store_.Refresh(entry);
  for (SymbolEntry& other : store_.symbols) {
    if (!other.info.value || &other == &entry) continue;
    other.info.value = Rebuild(*other.info.value, {.leaf = CurrentLeaf});
    store_.Refresh(other);
  }
  return true;
}

bool FactApplier::SetBounds(const Expr& fact, const Node* leaf, Range range) {
  SymbolEntry& entry = EntryOf(leaf);
  if (leaf->kind == Kind::kQuotient) {
    const int64_t stride = leaf->slots()[0].value;
    const int64_t residue = leaf->slots()[1].value;
    bool fits = true;
    const auto scale = [&](int64_t v, int64_t infinity) {
      if (v == infinity) return infinity;
      const Wide scaled = static_cast<Wide>(v) * stride + residue;
      fits = fits && scaled > Range::kNegInf && scaled < Range::kPosInf;
      return fits ? static_cast<int64_t>(scaled) : infinity;
    };
    range = {scale(range.lo, Range::kNegInf), scale(range.hi, Range::kPosInf)};
    if (!fits) return Keep(fact);
  }
  Range both{std::max(range.lo, entry.info.range.lo), std::min(range.hi, entry.info.range.hi)};
  if (!Tighten(both, entry.info.congruence)) return false;
  if (both == entry.info.range) return true;
  entry.info.range = both;
  return Changed(entry);
}

bool FactApplier::SetCongruence(const Expr& fact, const Node* leaf, int64_t factor, int64_t offset,
                                int64_t modulus, int64_t residue, bool* news) {
  // factor*leaf + offset == residue mod modulus
  Congruence of_leaf;
  const Wide target = (static_cast<Wide>(residue) - offset) % modulus;
  if (!SolveCongruence(FloorRemainder(factor, modulus), static_cast<int64_t>(target), modulus,
                       &of_leaf))
    return false;
  *news = false;
  SymbolEntry& entry = EntryOf(leaf);
  Congruence of_symbol = of_leaf;
  if (leaf->kind == Kind::kQuotient) {
    const Wide stride = static_cast<Wide>(of_leaf.stride) * leaf->slots()[0].value;
    if (stride > (Wide{1} << 62)) return Keep(fact);
    of_symbol = {static_cast<int64_t>(stride),
                 leaf->slots()[0].value * of_leaf.residue + leaf->slots()[1].value};
  }
  Congruence both;
  bool overflow = false;
  if (!Intersect(entry.info.congruence, of_symbol, &both, &overflow)) return false;
  if (overflow) return Keep(fact);
  if (both == entry.info.congruence) return true;
  Range range = entry.info.range;
  if (!Tighten(range, both)) return false;
  entry.info.congruence = both;
  entry.info.range = range;
  *news = true;
  return Changed(entry);
}

bool FactApplier::SetValue(const Expr& fact, const Node* leaf, const Expr& value) {
  SymbolEntry& entry = EntryOf(leaf);
  Expr whole = value;
  if (leaf->kind == Kind::kQuotient)
    whole = value * leaf->slots()[0].value + leaf->slots()[1].value;
  if (IsInvalid(whole)) return Keep(fact);
  const Range range = entry.info.range;
  if (const auto number = whole.Constant()) {
    if (!range.Contains(*number) ||
        FloorRemainder(*number, entry.info.congruence.stride) != entry.info.congruence.residue)
      return false;
    entry.info.range = {*number, *number};
    return Changed(entry);
  }
  entry.info.value = whole;
  // What was known of the symbol is now known of its value.
  if (range.lo != Range::kNegInf) pending_.push_back(Ge(whole, range.lo));
  if (range.hi != Range::kPosInf) pending_.push_back(Le(whole, range.hi));
  const Congruence& c = entry.info.congruence;
  if (c.stride > 1) pending_.push_back(Eq(Mod(whole, c.stride), c.residue));
  return Changed(entry);
}

bool FactApplier::ApplyNonNegative(const Expr& fact, const Poly& poly) {
  size_t parts = 1;
  for (const Slot& term : poly.terms) {
    if (term.node->kind != Kind::kMin || term.value < 0) continue;
    parts *= term.node->slots().size();
    if (parts > kMostParts) return Keep(fact);
  }
  for (const Slot& term : poly.terms) {
    if (term.node->kind != Kind::kMin || term.value < 0) continue;
    Poly rest = poly;
    rest.AddTerm(term.node, -term.value);
    for (const Slot& element : term.node->slots()) {
      Poly each = rest;
      each.AddScaled(Poly(Store::Of(element)), term.value);
      if (!each.ok) return Keep(fact);
      pending_.push_back(IsNonNegative(store_, each));
    }
    return true;
  }
  if (poly.terms.size() != 1 || !IsLeaf(poly.terms[0].node)) return Keep(fact);
  // a*x + k >= 0; the normal form has a == 1 or -1.
  const Slot& term = poly.terms[0];
  if (poly.constant == Range::kNegInf || (term.value != 1 && term.value != -1)) return Keep(fact);
  if (term.value == 1) return SetBounds(fact, term.node, {-poly.constant, Range::kPosInf});
  return SetBounds(fact, term.node, {Range::kNegInf, poly.constant});
}

bool FactApplier::ApplyNonZero(const Expr& fact, const Poly& poly) {
  if (poly.terms.size() != 1 || !IsLeaf(poly.terms[0].node) || poly.terms[0].value != 1 ||
      poly.constant == Range::kNegInf)
    return Keep(fact);
  const Node* leaf = poly.terms[0].node;
  const int64_t value = -poly.constant;
  const Range range = RangeOfNode(leaf);
  if (value == range.lo) return SetBounds(fact, leaf, {value + 1, Range::kPosInf});
  if (value == range.hi) return SetBounds(fact, leaf, {Range::kNegInf, value - 1});
  return range.Contains(value) ? Keep(fact) : true;
}

bool FactApplier::ApplyZero(const Expr& fact, const Expr& e) {
  const Poly poly(e);
  bool news = false;
  // a*x + k == 0
  if (poly.terms.size() == 1 && IsLeaf(poly.terms[0].node)) {
    const Slot& term = poly.terms[0];
    if (poly.constant == Range::kNegInf || poly.constant % term.value != 0)
      return poly.constant == Range::kNegInf ? Keep(fact) : false;
    return SetValue(fact, term.node, -(poly.constant / term.value));
  }
  // p - c*floor(N/c) == 0
  for (const Slot& term : poly.terms) {
    if (term.node->kind != Kind::kFloor || term.node->slots()[1].node != nullptr) continue;
    const int64_t c = term.node->slots()[1].value;
    if (term.value % c != 0) continue;
    const int64_t t = term.value / c;
    const Poly numerator(Store::Of(term.node->slots()[0]));
    Poly rest = poly;  // t*N - t*mod(N, c) + rest of the terms
    rest.AddTerm(term.node, -term.value);
    rest.AddScaled(numerator, t);
    if (!rest.ok || !rest.IsConstant() || rest.constant == Range::kNegInf ||
        numerator.terms.size() != 1 || !IsLeaf(numerator.terms[0].node))
      continue;
    if (rest.constant % t != 0) return false;
    const int64_t residue = rest.constant / t;
    if (residue < 0 || residue >= c) return false;
    const Slot& leaf = numerator.terms[0];
    return SetCongruence(fact, leaf.node, leaf.value, numerator.constant, c, residue, &news);
  }
  // x - p == 0; the last declared symbol that can go.
  const Slot* solved = nullptr;
  for (const Slot& term : poly.terms) {
    if (!IsLeaf(term.node) || (term.value != 1 && term.value != -1)) continue;
    const bool elsewhere = std::any_of(poly.terms.begin(), poly.terms.end(), [&](const Slot& t) {
      return t.node != term.node && Occurs(Store::Of(t.node), term.node->constant);
    });
    if (!elsewhere && (solved == nullptr || solved->node->constant < term.node->constant))
      solved = &term;
  }
  if (solved != nullptr) {
    Poly value = poly;
    value.AddTerm(solved->node, -solved->value);
    if (solved->value == 1) value.Negate();
    if (value.ok) return SetValue(fact, solved->node, Finish(store_, value));
  }
  // a*x + (g*p + k) == 0
  for (const Slot& term : poly.terms) {
    if (!IsLeaf(term.node) || term.value == Range::kNegInf || poly.constant == Range::kNegInf)
      continue;
    Poly others = poly;
    others.AddTerm(term.node, -term.value);
    const int64_t g = Content(others);
    if (g <= 1) continue;
    if (!SetCongruence(fact, term.node, term.value, poly.constant, g, 0, &news)) return false;
    if (news) {
      pending_.push_back(fact);
      return true;
    }
  }
  return Keep(fact);
}

}  // namespace tessera::solver::internal
