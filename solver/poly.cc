#include "solver/poly.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera::solver::internal {

PolyView::PolyView(const Expr& e) {
  const Node* node = Store::NodeOf(e);
  if (node == nullptr) {
    constant = *e.Constant();
  } else if (node->kind == Kind::kSum) {
    terms = node->slots();
    constant = node->constant;
  } else {
    one_ = {node, 1};
    terms = absl::Span<const Slot>(&one_, 1);
  }
}

void Poly::AddConstant(int64_t c) { ok = !__builtin_add_overflow(constant, c, &constant) && ok; }

void Poly::AddTerm(const Node* monomial, int64_t coefficient) {
  if (coefficient == 0) return;
  Slot* const it =
      std::lower_bound(terms.begin(), terms.end(), monomial,
                       [](const Slot& term, const Node* node) { return Before(term.node, node); });
  if (it == terms.end() || it->node != monomial) {
    if (terms.size() >= 2 * kMaxTerms) {
      ok = false;
      return;
    }
    terms.insert(it, Slot{monomial, coefficient});
    return;
  }
  ok = !__builtin_add_overflow(it->value, coefficient, &it->value) && ok;
  if (it->value == 0) terms.erase(it);
}

void Poly::AddScaled(absl::Span<const Slot> other, int64_t other_constant, int64_t factor) {
  int64_t c;
  ok = !__builtin_mul_overflow(other_constant, factor, &c) && ok;
  AddConstant(c);
  if (other.empty() || factor == 0 || !ok) return;
  if (other.size() == 1) {
    ok = !__builtin_mul_overflow(other[0].value, factor, &c) && ok;
    if (ok) AddTerm(other[0].node, c);
    return;
  }
  Slots merged;
  merged.reserve(terms.size() + other.size());
  size_t i = 0;
  for (const Slot& term : other) {
    while (i < terms.size() && Before(terms[i].node, term.node)) merged.push_back(terms[i++]);
    ok = !__builtin_mul_overflow(term.value, factor, &c) && ok;
    if (i < terms.size() && terms[i].node == term.node) {
      ok = !__builtin_add_overflow(terms[i++].value, c, &c) && ok;
    }
    if (c != 0) merged.push_back({term.node, c});
  }
  merged.append(terms.begin() + i, terms.end());
  terms = std::move(merged);
}

void Poly::AddScaled(const Poly& other, int64_t factor) {
  ok = ok && other.ok;
  AddScaled(other.terms, other.constant, factor);
}

void Poly::AddScaled(const PolyView& other, int64_t factor) {
  AddScaled(other.terms, other.constant, factor);
}

void Poly::Scale(int64_t factor) {
  if (factor == 0) {
    terms.clear();
    constant = 0;
    return;
  }
  ok = !__builtin_mul_overflow(constant, factor, &constant) && ok;
  for (Slot& term : terms) ok = !__builtin_mul_overflow(term.value, factor, &term.value) && ok;
}

Expr Finish(Store& store, const Poly& poly) {
  if (!poly.ok) return Expr::Invalid();
  if (poly.terms.empty()) return poly.constant;
  if (poly.constant == 0 && poly.terms.size() == 1 && poly.terms[0].value == 1)
    return Store::Of(poly.terms[0].node);
  return Store::Of(store.Intern(Kind::kSum, poly.constant, poly.terms));
}

absl::Span<const Slot> FactorsOf(const Node* const& monomial, Slot& scratch) {
  if (monomial->kind == Kind::kProduct) return monomial->slots();
  scratch = {monomial, 0};
  return absl::Span<const Slot>(&scratch, 1);
}

const Node* MultiplyMonomials(Store& store, const Node* a, const Node* b) {
  Slot scratch_a;
  Slot scratch_b;
  const absl::Span<const Slot> x = FactorsOf(a, scratch_a);
  const absl::Span<const Slot> y = FactorsOf(b, scratch_b);
  Slots factors;
  if (x.size() + y.size() > kMaxDegree) {
    factors = Before(b, a) ? Slots{{b, 0}, {a, 0}} : Slots{{a, 0}, {b, 0}};
    return store.Intern(Kind::kProduct, 0, factors);
  }
  factors.reserve(x.size() + y.size());
  const auto add = [&](const Slot& factor) {
    // A proposition is its own square.
    if (!factors.empty() && factors.back().node == factor.node && factor.node->IsProposition())
      return;
    factors.push_back(factor);
  };
  size_t i = 0;
  for (const Slot& factor : y) {
    while (i < x.size() && Before(x[i].node, factor.node)) add(x[i++]);
    add(factor);
  }
  while (i < x.size()) add(x[i++]);
  if (factors.size() == 1) return factors[0].node;
  return store.Intern(Kind::kProduct, 0, factors);
}

MonomialQuotient DivideMonomials(Store& store, const Node* a, const Node* b) {
  if (a == b) return {true, nullptr};
  Slot scratch_a;
  Slot scratch_b;
  const absl::Span<const Slot> x = FactorsOf(a, scratch_a);
  const absl::Span<const Slot> y = FactorsOf(b, scratch_b);
  if (y.size() >= x.size()) return {};
  Slots factors;
  size_t j = 0;
  for (const Slot& factor : x) {
    if (j < y.size() && factor.node == y[j].node) {
      ++j;
    } else {
      factors.push_back(factor);
    }
  }
  if (j < y.size()) return {};
  if (factors.size() == 1) return {true, factors[0].node};
  return {true, store.Intern(Kind::kProduct, 0, factors)};
}

bool Contains(const Node* monomial, const Node* atom) {
  Slot scratch;
  for (const Slot& factor : FactorsOf(monomial, scratch)) {
    if (factor.node == atom) return true;
  }
  return false;
}

Poly Multiply(Store& store, const Poly& a, const Poly& b) {
  Poly result;
  result.ok = a.ok && b.ok;
  if (!result.ok) return result;
  if (a.IsConstant() || b.IsConstant()) {
    result = a.IsConstant() ? b : a;
    result.Scale(a.IsConstant() ? a.constant : b.constant);
    return result;
  }
  if (a.terms.size() * b.terms.size() > kMaxProductTerms) {
    // Too long to expand: the factors stay whole.
    const Expr x = Finish(store, a);
    const Expr y = Finish(store, b);
    result.AddTerm(MultiplyMonomials(store, Store::NodeOf(x), Store::NodeOf(y)), 1);
    return result;
  }
  result.terms.reserve(a.terms.size() * b.terms.size() + a.terms.size() + b.terms.size());
  for (const Slot& s : a.terms) {
    for (const Slot& t : b.terms) {
      int64_t c;
      result.ok = !__builtin_mul_overflow(s.value, t.value, &c) && result.ok;
      result.terms.push_back({MultiplyMonomials(store, s.node, t.node), c});
    }
  }
  std::sort(result.terms.begin(), result.terms.end(),
            [](const Slot& s, const Slot& t) { return Before(s.node, t.node); });
  size_t kept = 0;
  for (size_t i = 0; i < result.terms.size();) {
    Slot sum = result.terms[i++];
    for (; i < result.terms.size() && result.terms[i].node == sum.node; ++i) {
      result.ok =
          !__builtin_add_overflow(sum.value, result.terms[i].value, &sum.value) && result.ok;
    }
    if (sum.value != 0) result.terms[kept++] = sum;
  }
  result.terms.truncate(kept);
  result.AddScaled(a.terms, 0, b.constant);
  result.AddScaled(b.terms, 0, a.constant);
  int64_t c;
  result.ok = !__builtin_mul_overflow(a.constant, b.constant, &c) && result.ok;
  result.AddConstant(c);
  return result;
}

namespace {

// Graded lexicographic: a monomial order, so that division terminates and its remainder is unique.
bool Precedes(const Node* a, const Node* b) {
  Slot scratch_a;
  Slot scratch_b;
  const absl::Span<const Slot> x = FactorsOf(a, scratch_a);
  const absl::Span<const Slot> y = FactorsOf(b, scratch_b);
  if (x.size() != y.size()) return x.size() < y.size();
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i].node != y[i].node) return Before(y[i].node, x[i].node);
  }
  return false;
}

}  // namespace

bool DivideWithRemainder(Store& store, const Poly& a, const Poly& b, Poly& quotient,
                         Poly& remainder) {
  if (b.IsConstant()) return false;
  size_t lead = 0;
  for (size_t i = 1; i < b.terms.size(); ++i) {
    if (Precedes(b.terms[lead].node, b.terms[i].node)) lead = i;
  }
  const Slot divisor = b.terms[lead];
  if (divisor.value < 0) return false;
  Poly q;
  Poly rest = a;
  // Terms once reduced and passed over come back only from below, so each step looks at the
  // greatest term not yet done.
  Poly done;
  for (int steps = 0; !rest.terms.empty(); ++steps) {
    if (steps > 64 || !rest.ok || rest.terms.size() > 64) return false;
    size_t top = 0;
    for (size_t i = 1; i < rest.terms.size(); ++i) {
      if (Precedes(rest.terms[top].node, rest.terms[i].node)) top = i;
    }
    const Slot term = rest.terms[top];
    const MonomialQuotient m = DivideMonomials(store, term.node, divisor.node);
    const int64_t c = m.divides ? SymmetricQuotient(term.value, divisor.value) : 0;
    if (c != 0) {
      Poly factor;
      if (m.quotient == nullptr) {
        factor.constant = c;
      } else {
        factor.AddTerm(m.quotient, c);
      }
      q.AddScaled(factor, 1);
      rest.AddScaled(Multiply(store, b, factor), -1);
      if (!rest.ok) return false;
    }
    // What is left of this term stays in the remainder.
    for (const Slot& t : rest.terms) {
      if (t.node == term.node) {
        const int64_t left = t.value;
        done.AddTerm(term.node, left);
        rest.AddTerm(term.node, -left);
        break;
      }
    }
  }
  done.AddConstant(rest.constant);
  if (!done.ok || !q.ok) return false;
  quotient = std::move(q);
  remainder = std::move(done);
  return true;
}

bool SplitLinear(Store& store, const Poly& poly, const Node* atom, Poly& coefficient, Poly& rest) {
  coefficient = Poly();
  rest = Poly(poly.constant);
  for (const Slot& term : poly.terms) {
    if (!Contains(term.node, atom)) {
      rest.terms.push_back(term);
      continue;
    }
    const MonomialQuotient m = DivideMonomials(store, term.node, atom);
    if (m.quotient == nullptr) {
      coefficient.AddConstant(term.value);
    } else {
      if (Contains(m.quotient, atom)) return false;
      coefficient.AddTerm(m.quotient, term.value);
    }
  }
  return true;
}

int64_t Content(const Poly& poly) {
  int64_t g = 0;
  for (const Slot& term : poly.terms) {
    if (term.value == Range::kNegInf) return 1;
    g = std::gcd(g, term.value);
    if (g == 1) break;
  }
  return g;
}

}  // namespace tessera::solver::internal
