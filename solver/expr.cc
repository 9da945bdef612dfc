#include "solver/expr.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::solver {

using Atoms = std::vector<const Node*>;  // a monomial: sorted by id, repeated for powers

struct Term {
  Atoms atoms;
  int64_t coefficient;
};

struct Polynomial {
  std::vector<Term> terms;
  int64_t constant = 0;
  bool overflow = false;
};

struct Node {
  NodeKind kind;
  Context::Impl* owner;
  int id;
  int symbol = -1;             // kSymbol
  Polynomial polynomial;       // kPolynomial
  std::vector<Expr> children;  // the others
  Range range;
};

struct SymbolEntry {
  SymbolInfo info;
  bool reduced = false;  // the node stands for the k of `stride * k + residue`
};

struct Context::Impl {
  std::vector<std::unique_ptr<Node>> nodes;
  absl::flat_hash_map<std::vector<int64_t>, const Node*> interned;
  std::vector<std::unique_ptr<SymbolEntry>> symbols;
  absl::flat_hash_map<std::string, int> by_name;
};

namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr size_t kMaxTerms = 512;

int64_t FloorQuotient(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return a % b < 0 ? q - 1 : q;
}

bool AtomsLess(const Atoms& a, const Atoms& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const Node* x, const Node* y) { return x->id < y->id; });
}

// --- Intervals; the extremes absorb ---------------------------------------------------------------------------------

int64_t SatAdd(int64_t a, int64_t b) {
  if (a == kMin || b == kMin) return kMin;
  if (a == kMax || b == kMax) return kMax;
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) return a < 0 ? kMin : kMax;
  return r;
}
int64_t SatMul(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  const bool negative = (a < 0) != (b < 0);
  if (a == kMin || a == kMax || b == kMin || b == kMax) return negative ? kMin : kMax;
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) return negative ? kMin : kMax;
  return r;
}
// Sums of lower bounds must not absorb upwards, and the reverse.
Range Sum(const Range& a, const Range& b) {
  const int64_t lo = a.lo == kMin || b.lo == kMin ? kMin : SatAdd(a.lo, b.lo);
  const int64_t hi = a.hi == kMax || b.hi == kMax ? kMax : SatAdd(a.hi, b.hi);
  return {lo, hi};
}
Range Product(const Range& a, const Range& b) {
  const int64_t p[] = {SatMul(a.lo, b.lo), SatMul(a.lo, b.hi), SatMul(a.hi, b.lo), SatMul(a.hi, b.hi)};
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}
Range Quotient(const Range& a, const Range& b) {
  if (b.lo <= 0) return {kMin, kMax};
  const auto divide = [](int64_t x, int64_t y) { return x == kMin || x == kMax ? x : y == kMax ? (x < 0 ? int64_t{-1} : int64_t{0}) : FloorQuotient(x, y); };
  return {std::min(divide(a.lo, b.lo), divide(a.lo, b.hi)), std::max(divide(a.hi, b.lo), divide(a.hi, b.hi))};
}

Range PolynomialRange(const Polynomial& p) {
  Range total{p.constant, p.constant};
  for (const Term& term : p.terms) {
    Range product{term.coefficient, term.coefficient};
    for (size_t i = 0; i < term.atoms.size(); ++i) product = Product(product, term.atoms[i]->range);
    total = Sum(total, product);
  }
  return total;
}

// --- Polynomials ----------------------------------------------------------------------------------------------------

Polynomial ToPolynomial(const Expr& e) {
  Polynomial p;
  if (e.IsInvalid()) {
    p.overflow = true;
  } else if (e.node() == nullptr) {
    p.constant = *e.Constant();
  } else if (e.node()->kind == NodeKind::kPolynomial) {
    p = e.node()->polynomial;
  } else {
    p.terms.push_back({{e.node()}, 1});
  }
  return p;
}

const Node* Intern(Context::Impl* owner, NodeKind kind, std::vector<int64_t> key, const std::function<void(Node&)>& fill) {
  key.push_back(static_cast<int64_t>(kind));
  auto [it, fresh] = owner->interned.try_emplace(std::move(key), nullptr);
  if (fresh) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->owner = owner;
    node->id = static_cast<int>(owner->nodes.size());
    fill(*node);
    it->second = node.get();
    owner->nodes.push_back(std::move(node));
  }
  return it->second;
}

Expr FromPolynomial(Polynomial p, Context::Impl* owner) {
  if (p.overflow || p.terms.size() > kMaxTerms) return Expr::Invalid();
  if (p.terms.empty()) return Expr(p.constant);
  if (p.terms.size() == 1 && p.constant == 0 && p.terms[0].coefficient == 1 && p.terms[0].atoms.size() == 1) return Expr(p.terms[0].atoms[0]);
  std::vector<int64_t> key{p.constant};
  for (const Term& term : p.terms) {
    key.push_back(term.coefficient);
    key.push_back(-static_cast<int64_t>(term.atoms.size()));
    for (const Node* atom : term.atoms) key.push_back(atom->id);
  }
  return Expr(Intern(owner, NodeKind::kPolynomial, std::move(key), [&](Node& node) {
    node.range = PolynomialRange(p);
    node.polynomial = std::move(p);
  }));
}

Context::Impl* OwnerOf(const Expr& e) { return e.node() == nullptr ? nullptr : e.node()->owner; }
Context::Impl* OwnerOf(const Expr& a, const Expr& b) { return OwnerOf(a) != nullptr ? OwnerOf(a) : OwnerOf(b); }

Polynomial AddScaled(const Polynomial& a, const Polynomial& b, int64_t scale) {
  Polynomial sum;
  int64_t scaled;
  sum.overflow = a.overflow || b.overflow || __builtin_mul_overflow(b.constant, scale, &scaled) || __builtin_add_overflow(a.constant, scaled, &sum.constant);
  size_t i = 0, j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    if (j == b.terms.size() || (i < a.terms.size() && AtomsLess(a.terms[i].atoms, b.terms[j].atoms))) {
      sum.terms.push_back(a.terms[i++]);
      continue;
    }
    Term term = b.terms[j];
    sum.overflow = __builtin_mul_overflow(term.coefficient, scale, &term.coefficient) || sum.overflow;
    if (i < a.terms.size() && a.terms[i].atoms == term.atoms) {
      sum.overflow = __builtin_add_overflow(term.coefficient, a.terms[i].coefficient, &term.coefficient) || sum.overflow;
      ++i;
    }
    ++j;
    if (term.coefficient != 0) sum.terms.push_back(std::move(term));
  }
  return sum;
}

Polynomial Multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial product;
  product.overflow = a.overflow || b.overflow || a.terms.size() * b.terms.size() > 4 * kMaxTerms;
  if (product.overflow) return product;
  const auto times = [&](const Term& x, const Term& y) {
    Polynomial one;
    Term term;
    one.overflow = __builtin_mul_overflow(x.coefficient, y.coefficient, &term.coefficient);
    if (term.coefficient == 0) return one;
    term.atoms = x.atoms;
    term.atoms.insert(term.atoms.end(), y.atoms.begin(), y.atoms.end());
    std::sort(term.atoms.begin(), term.atoms.end(), [](const Node* p, const Node* q) { return p->id < q->id; });
    // A proposition is 0 or 1, so it is its own square.
    term.atoms.erase(std::unique(term.atoms.begin(), term.atoms.end(),
                                 [](const Node* p, const Node* q) { return p == q && (p->kind == NodeKind::kEqualsZero || p->kind == NodeKind::kNotNegative); }),
                     term.atoms.end());
    if (term.atoms.empty()) {
      one.constant = term.coefficient;
    } else {
      one.terms.push_back(std::move(term));
    }
    return one;
  };
  std::vector<Term> left = a.terms, right = b.terms;
  if (a.constant != 0) left.push_back({{}, a.constant});
  if (b.constant != 0) right.push_back({{}, b.constant});
  for (const Term& x : left) {
    for (const Term& y : right) product = AddScaled(product, times(x, y), 1);
  }
  return product;
}

// --- Quotients ------------------------------------------------------------------------------------------------------

Expr QuotientAtom(const Expr& numerator, const Expr& divisor, Context::Impl* owner) {
  const Range range = Quotient(RangeOf(numerator), RangeOf(divisor));
  if (range.lo == range.hi && range.lo != kMin && range.lo != kMax) return Expr(range.lo);
  std::vector<int64_t> key{numerator.node() == nullptr ? *numerator.Constant() : numerator.node()->id, numerator.node() == nullptr, divisor.node() == nullptr ? *divisor.Constant() : divisor.node()->id,
                           divisor.node() == nullptr};
  return Expr(Intern(owner, NodeKind::kFloorDiv, std::move(key), [&](Node& node) {
    node.children = {numerator, divisor};
    node.range = range;
  }));
}

// floor((sum k_i m_i + k) / c) = sum floor(k_i / c) m_i + floor(k / c) + floor((sum (k_i mod c) m_i + k mod c) / c).
Expr DivideByConstant(Polynomial p, int64_t c, Context::Impl* owner) {
  if (c == 1) return FromPolynomial(std::move(p), owner);
  Polynomial whole, rest;
  for (const Term& term : p.terms) {
    const int64_t q = FloorQuotient(term.coefficient, c);
    const int64_t r = term.coefficient - q * c;
    if (q != 0) whole.terms.push_back({term.atoms, q});
    if (r != 0) rest.terms.push_back({term.atoms, r});
  }
  whole.constant = FloorQuotient(p.constant, c);
  rest.constant = p.constant - whole.constant * c;
  if (rest.terms.empty()) return FromPolynomial(std::move(whole), owner);
  // floor((g p + k) / (g c)) = floor((p + floor(k / g)) / c).
  int64_t g = c;
  for (const Term& term : rest.terms) g = std::gcd(g, term.coefficient);
  if (g > 1) {
    for (Term& term : rest.terms) term.coefficient /= g;
    rest.constant = FloorQuotient(rest.constant, g);
    const Expr reduced = DivideByConstant(rest, c / g, owner);
    return FromPolynomial(std::move(whole), owner) + reduced;
  }
  // floor((floor(p / a) + s) / c) = floor((p + a s) / (a c)) for integers s and positive a.
  int nested = -1;
  int count = 0;
  for (size_t i = 0; i < rest.terms.size(); ++i) {
    const Term& term = rest.terms[i];
    if (term.coefficient == 1 && term.atoms.size() == 1 && term.atoms[0]->kind == NodeKind::kFloorDiv && term.atoms[0]->children[1].IsConstant()) {
      nested = static_cast<int>(i);
      ++count;
    }
  }
  if (count == 1) {
    const Node* inner = rest.terms[static_cast<size_t>(nested)].atoms[0];
    const int64_t a = *inner->children[1].Constant();
    int64_t ac;
    if (!__builtin_mul_overflow(a, c, &ac)) {
      Polynomial s = rest;
      s.terms.erase(s.terms.begin() + nested);
      const Polynomial numerator = AddScaled(ToPolynomial(inner->children[0]), s, a);
      if (!numerator.overflow) return FromPolynomial(std::move(whole), owner) + DivideByConstant(numerator, ac, owner);
    }
  }
  // floor(-x / c) = -floor((x + c - 1) / c): the sign whose leading coefficient is smaller.
  if (rest.terms[0].coefficient > c - rest.terms[0].coefficient) {
    Polynomial mirrored;
    mirrored.constant = c - 1;
    mirrored = AddScaled(mirrored, rest, -1);
    return FromPolynomial(std::move(whole), owner) - DivideByConstant(mirrored, c, owner);
  }
  return FromPolynomial(std::move(whole), owner) + QuotientAtom(FromPolynomial(std::move(rest), owner), Expr(c), owner);
}

// Divides the terms that the monomial `divisor` divides; what is left stays in `rest`.
Polynomial DivideExactly(const Polynomial& p, const Term& divisor, Polynomial* rest) {
  Polynomial whole;
  rest->constant = p.constant;
  for (const Term& term : p.terms) {
    Atoms left;
    std::set_difference(term.atoms.begin(), term.atoms.end(), divisor.atoms.begin(), divisor.atoms.end(), std::back_inserter(left), [](const Node* a, const Node* b) { return a->id < b->id; });
    if (left.size() + divisor.atoms.size() != term.atoms.size() || term.coefficient % divisor.coefficient != 0) {
      rest->terms.push_back(term);
      continue;
    }
    Polynomial one;
    if (left.empty()) {
      one.constant = term.coefficient / divisor.coefficient;
    } else {
      one.terms.push_back({left, term.coefficient / divisor.coefficient});
    }
    whole = AddScaled(whole, one, 1);
  }
  return whole;
}

// floor((B q + r) / B) = q + floor(r / B); a factor common to every term of numerator and divisor cancels.
Expr DivideBySymbolic(const Expr& a, const Expr& b, Context::Impl* owner) {
  if (RangeOf(b).lo <= 0) return QuotientAtom(a, b, owner);
  Polynomial p = ToPolynomial(a);
  const Polynomial d = ToPolynomial(b);
  if (d.terms.size() == 1 && d.constant == 0) {
    Polynomial rest;
    const Polynomial whole = DivideExactly(p, d.terms[0], &rest);
    const Expr q = FromPolynomial(whole, owner);
    const Expr r = FromPolynomial(rest, owner);
    if (r == Expr(0)) return q;
    const Range range = RangeOf(r);
    if (range.lo >= 0 && RangeOf(b - r).lo > 0) return q;
    if (range.hi < 0 && RangeOf(b + r).lo >= 0) return q - Expr(1);
    // Cancel what numerator and divisor share.
    Atoms common = d.terms[0].atoms;
    int64_t g = d.terms[0].coefficient;
    for (const Term& term : rest.terms) {
      Atoms shared;
      std::set_intersection(common.begin(), common.end(), term.atoms.begin(), term.atoms.end(), std::back_inserter(shared), [](const Node* x, const Node* y) { return x->id < y->id; });
      common = shared;
      g = std::gcd(g, term.coefficient);
    }
    if (rest.constant != 0) {
      common.clear();
      g = std::gcd(g, rest.constant);
    }
    bool positive = true;
    for (const Node* atom : common) positive = positive && atom->range.lo > 0;
    if (positive && (!common.empty() || g > 1)) {
      const Term factor{common, g};
      Polynomial none;
      const Expr smaller = FromPolynomial(DivideExactly(rest, factor, &none), owner);
      Polynomial divisor_rest;
      const Expr divisor = FromPolynomial(DivideExactly(d, factor, &divisor_rest), owner);
      return q + FloorDiv(smaller, divisor);
    }
    return q + QuotientAtom(r, b, owner);
  }
  // A whole multiple of the divisor.
  if (a == b) return Expr(1);
  for (const Term& term : p.terms) {
    Polynomial quotient_rest;
    const Polynomial quotient = DivideExactly(Polynomial{{term}, 0, false}, d.terms[0], &quotient_rest);
    if (!quotient_rest.terms.empty()) continue;
    const Expr q = FromPolynomial(quotient, owner);
    const Expr r = a - q * b;
    if (r == Expr(0)) return q;
    if (r.node() == nullptr || ToPolynomial(r).terms.size() < p.terms.size()) {
      const Range range = RangeOf(r);
      if (range.lo >= 0 && RangeOf(b - r).lo > 0) return q;
      return q + FloorDiv(r, b);
    }
  }
  return QuotientAtom(a, b, owner);
}

Expr Proposition(NodeKind kind, const Expr& e) {
  Context::Impl* owner = OwnerOf(e);
  return Expr(Intern(owner, kind, {e.node()->id}, [&](Node& node) {
    node.children = {e};
    node.range = {0, 1};
  }));
}

Range RefinedMinRange(const Range& a, const Range& b) { return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)}; }

}  // namespace

Expr operator+(const Expr& a, const Expr& b) {
  if (a.IsInvalid() || b.IsInvalid()) return Expr::Invalid();
  if (a.node() == nullptr && b.node() == nullptr) {
    int64_t r;
    return __builtin_add_overflow(*a.Constant(), *b.Constant(), &r) ? Expr::Invalid() : Expr(r);
  }
  return FromPolynomial(AddScaled(ToPolynomial(a), ToPolynomial(b), 1), OwnerOf(a, b));
}

Expr operator-(const Expr& a, const Expr& b) {
  if (a.IsInvalid() || b.IsInvalid()) return Expr::Invalid();
  if (a.node() == nullptr && b.node() == nullptr) {
    int64_t r;
    return __builtin_sub_overflow(*a.Constant(), *b.Constant(), &r) ? Expr::Invalid() : Expr(r);
  }
  return FromPolynomial(AddScaled(ToPolynomial(a), ToPolynomial(b), -1), OwnerOf(a, b));
}

Expr operator*(const Expr& a, const Expr& b) {
  if (a.IsInvalid() || b.IsInvalid()) return Expr::Invalid();
  if (a.node() == nullptr && b.node() == nullptr) {
    int64_t r;
    return __builtin_mul_overflow(*a.Constant(), *b.Constant(), &r) ? Expr::Invalid() : Expr(r);
  }
  return FromPolynomial(Multiply(ToPolynomial(a), ToPolynomial(b)), OwnerOf(a, b));
}

Expr FloorDiv(const Expr& a, const Expr& b) {
  if (a.IsInvalid() || b.IsInvalid()) return Expr::Invalid();
  if (b.node() == nullptr) {
    const int64_t c = *b.Constant();
    if (c <= 0) return Expr::Invalid();
    if (a.node() == nullptr) return Expr(FloorQuotient(*a.Constant(), c));
    return DivideByConstant(ToPolynomial(a), c, OwnerOf(a));
  }
  return DivideBySymbolic(a, b, OwnerOf(a, b));
}

Expr CeilDiv(const Expr& a, const Expr& b) { return -FloorDiv(-a, b); }
Expr Mod(const Expr& a, const Expr& b) { return a - b * FloorDiv(a, b); }
Expr TruncDiv(const Expr& a, const Expr& b) {
  if (RangeOf(a).lo >= 0) return FloorDiv(a, b);
  return Ite(Ge(a, Expr(0)), FloorDiv(a, b), -FloorDiv(-a, b));
}

Expr Min(const Expr& a, const Expr& b) {
  const Expr difference = a - b;
  if (difference.IsInvalid()) return Expr::Invalid();
  const Range range = RangeOf(difference);
  if (range.hi <= 0) return a;
  if (range.lo >= 0) return b;
  Context::Impl* owner = OwnerOf(a, b);
  const auto order = [](const Expr& e) { return e.node() == nullptr ? int64_t{-1} : int64_t{e.node()->id}; };
  const Expr& x = order(a) < order(b) ? a : b;
  const Expr& y = order(a) < order(b) ? b : a;
  return Expr(Intern(owner, NodeKind::kMin, {order(x), x.Constant().value_or(0), order(y)}, [&](Node& node) {
    node.children = {x, y};
    node.range = RefinedMinRange(RangeOf(x), RangeOf(y));
  }));
}

Expr Max(const Expr& a, const Expr& b) {
  const Range range = RangeOf(a - b);
  if (range.lo >= 0) return a;
  if (range.hi <= 0) return b;
  return -Min(-a, -b);
}

Expr Abs(const Expr& a) {
  const Range range = RangeOf(a);
  if (range.lo >= 0) return a;
  if (range.hi <= 0) return -a;
  return Max(a, -a);
}

Expr Eq(const Expr& a, const Expr& b) {
  Expr difference = a - b;
  if (difference.IsInvalid()) return Expr::Invalid();
  if (difference.node() == nullptr) return Expr(*difference.Constant() == 0 ? 1 : 0);
  const Range range = RangeOf(difference);
  if (range.lo > 0 || range.hi < 0) return Expr(0);
  // d = 0 and -d = 0 are one proposition.
  if (ToPolynomial(difference).terms[0].coefficient < 0) difference = -difference;
  // A constant that the coefficients' common divisor does not divide is never reached.
  const Polynomial p = ToPolynomial(difference);
  int64_t g = 0;
  for (const Term& term : p.terms) g = std::gcd(g, term.coefficient);
  if (g > 1 && p.constant % g != 0) return Expr(0);
  return Proposition(NodeKind::kEqualsZero, difference);
}

Expr Ge(const Expr& a, const Expr& b) {
  const Expr difference = a - b;
  if (difference.IsInvalid()) return Expr::Invalid();
  if (difference.node() == nullptr) return Expr(*difference.Constant() >= 0 ? 1 : 0);
  const Range range = RangeOf(difference);
  if (range.lo >= 0) return Expr(1);
  if (range.hi < 0) return Expr(0);
  return Proposition(NodeKind::kNotNegative, difference);
}

Expr Ne(const Expr& a, const Expr& b) { return Not(Eq(a, b)); }
Expr Le(const Expr& a, const Expr& b) { return Ge(b, a); }
Expr Gt(const Expr& a, const Expr& b) { return Ge(a, b + Expr(1)); }
Expr Lt(const Expr& a, const Expr& b) { return Gt(b, a); }
Expr And(const Expr& a, const Expr& b) { return a == b ? a : a * b; }
Expr Or(const Expr& a, const Expr& b) { return a == b ? a : a + b - a * b; }
Expr Not(const Expr& a) { return Expr(1) - a; }

Expr Ite(const Expr& condition, const Expr& a, const Expr& b) {
  if (condition.IsInvalid()) return Expr::Invalid();
  if (condition.node() == nullptr) return *condition.Constant() != 0 ? a : b;
  if (a.IsInvalid() || b.IsInvalid()) return Expr::Invalid();
  if (a == b) return a;
  const auto order = [](const Expr& e) { return e.node() == nullptr ? int64_t{-1} : int64_t{e.node()->id}; };
  return Expr(Intern(OwnerOf(condition), NodeKind::kIte, {order(condition), order(a), a.Constant().value_or(0), order(b), b.Constant().value_or(0)}, [&](Node& node) {
    node.children = {condition, a, b};
    const Range x = RangeOf(a);
    const Range y = RangeOf(b);
    node.range = {std::min(x.lo, y.lo), std::max(x.hi, y.hi)};
  }));
}

Range RangeOf(const Expr& e) {
  if (e.IsInvalid()) return {kMin, kMax};
  if (e.node() == nullptr) return {*e.Constant(), *e.Constant()};
  return e.node()->range;
}

// --- Context --------------------------------------------------------------------------------------------------------

Context::Context() : impl_(std::make_unique<Impl>()) {}
Context::~Context() = default;

Expr Context::Symbol(absl::string_view name) {
  if (const SymbolInfo* found = Find(name)) return found->expr;
  return *Declare(std::string(name), Range{}, Congruence{}, "a dim");
}

absl::StatusOr<Expr> Context::Declare(std::string name, Range range, Congruence congruence, std::string origin) {
  if (congruence.stride < 1 || congruence.residue < 0 || congruence.residue >= congruence.stride) {
    return absl::InvalidArgumentError(absl::StrCat("`", name, "` mod ", congruence.stride, " == ", congruence.residue, " has no meaning"));
  }
  if (const SymbolInfo* found = Find(name)) {
    if (found->range == range && found->congruence == congruence) return found->expr;
    return absl::InvalidArgumentError(absl::StrCat("redeclaration of `", name, "`"));
  }
  // The values of k in stride * k + residue.
  Range k = range;
  if (congruence.stride > 1) {
    k.lo = range.lo == kMin ? kMin : -FloorQuotient(-(range.lo - congruence.residue), congruence.stride);
    k.hi = range.hi == kMax ? kMax : FloorQuotient(range.hi - congruence.residue, congruence.stride);
  }
  if (k.lo > k.hi) return absl::InvalidArgumentError(absl::StrCat("no value of `", name, "` is in its range and congruence"));
  const int index = static_cast<int>(impl_->symbols.size());
  auto symbol = std::make_unique<SymbolEntry>();
  symbol->info = {name, range, congruence, std::move(origin), std::nullopt, Expr()};
  symbol->reduced = congruence.stride > 1;
  const Expr atom(Intern(impl_.get(), NodeKind::kSymbol, {index}, [&](Node& node) {
    node.symbol = index;
    node.range = k;
  }));
  symbol->info.expr = symbol->reduced ? Expr(congruence.stride) * atom + Expr(congruence.residue) : atom;
  impl_->symbols.push_back(std::move(symbol));
  impl_->by_name.emplace(std::move(name), index);
  return impl_->symbols.back()->info.expr;
}

const SymbolInfo* Context::Find(absl::string_view name) const {
  const auto found = impl_->by_name.find(std::string(name));
  return found == impl_->by_name.end() ? nullptr : &impl_->symbols[static_cast<size_t>(found->second)]->info;
}

std::vector<const SymbolInfo*> Context::Symbols() const {
  std::vector<const SymbolInfo*> result;
  for (const auto& symbol : impl_->symbols) result.push_back(&symbol->info);
  return result;
}

// --- Evaluation -----------------------------------------------------------------------------------------------------

namespace {

class Evaluator {
 public:
  explicit Evaluator(const Assignment& assignment) : assignment_(assignment) {}

  absl::StatusOr<int64_t> Run(const Expr& e) {
    if (e.IsInvalid()) return absl::OutOfRangeError("an expression overflowed");
    if (e.node() == nullptr) return *e.Constant();
    return Visit(e.node());
  }

 private:
  absl::StatusOr<int64_t> Visit(const Node* node) {
    const auto seen = values_.find(node);
    if (seen != values_.end()) return seen->second;
    absl::StatusOr<int64_t> value = Compute(*node);
    if (value.ok()) values_.emplace(node, *value);
    return value;
  }

  absl::StatusOr<int64_t> Compute(const Node& node) {
    if (node.kind == NodeKind::kSymbol) {
      const SymbolEntry& symbol = *node.owner->symbols[static_cast<size_t>(node.symbol)];
      const auto bound = assignment_.find(symbol.info.name);
      if (bound == assignment_.end()) return absl::InvalidArgumentError(absl::StrCat("`", symbol.info.name, "` has no value"));
      const Congruence& c = symbol.info.congruence;
      if (!symbol.reduced) return bound->second;
      if (FloorQuotient(bound->second - c.residue, c.stride) * c.stride + c.residue != bound->second) {
        return absl::InvalidArgumentError(absl::StrCat("`", symbol.info.name, "` is ", bound->second, ", which is not ", c.residue, " mod ", c.stride));
      }
      return FloorQuotient(bound->second - c.residue, c.stride);
    }
    if (node.kind == NodeKind::kPolynomial) {
      int64_t sum = node.polynomial.constant;
      for (const Term& term : node.polynomial.terms) {
        int64_t product = term.coefficient;
        for (const Node* atom : term.atoms) {
          const absl::StatusOr<int64_t> v = Visit(atom);
          if (!v.ok()) return v;
          if (__builtin_mul_overflow(product, *v, &product)) return absl::OutOfRangeError("a product overflowed");
        }
        if (__builtin_add_overflow(sum, product, &sum)) return absl::OutOfRangeError("a sum overflowed");
      }
      return sum;
    }
    const absl::StatusOr<int64_t> first = Run(node.children[0]);
    if (!first.ok()) return first;
    switch (node.kind) {
      case NodeKind::kEqualsZero: return *first == 0 ? 1 : 0;
      case NodeKind::kNotNegative: return *first >= 0 ? 1 : 0;
      case NodeKind::kIte: return Run(node.children[*first != 0 ? 1 : 2]);
      default: break;
    }
    const absl::StatusOr<int64_t> second = Run(node.children[1]);
    if (!second.ok()) return second;
    if (node.kind == NodeKind::kMin) return std::min(*first, *second);
    if (*second <= 0) return absl::InvalidArgumentError(absl::StrCat("division by ", *second));
    return FloorQuotient(*first, *second);
  }

  const Assignment& assignment_;
  absl::flat_hash_map<const Node*, int64_t> values_;
};

void CollectSymbols(const Expr& e, std::set<const Node*>& seen, std::set<std::string>& names) {
  if (e.node() == nullptr || !seen.insert(e.node()).second) return;
  const Node& node = *e.node();
  if (node.kind == NodeKind::kSymbol) names.insert(node.owner->symbols[static_cast<size_t>(node.symbol)]->info.name);
  for (const Term& term : node.polynomial.terms) {
    for (const Node* atom : term.atoms) CollectSymbols(Expr(atom), seen, names);
  }
  for (const Expr& child : node.children) CollectSymbols(child, seen, names);
}

// --- Text -----------------------------------------------------------------------------------------------------------

std::string AtomText(const Node& node);

std::string PolynomialText(const Polynomial& p) {
  std::string text;
  for (const Term& term : p.terms) {
    const bool negative = term.coefficient < 0;
    absl::StrAppend(&text, text.empty() ? (negative ? "-" : "") : negative ? " - " : " + ");
    std::vector<std::string> factors;
    if (term.coefficient == kMin) {
      factors.push_back("9223372036854775808");
    } else if (term.coefficient != 1 && term.coefficient != -1) {
      factors.push_back(absl::StrCat(negative ? -term.coefficient : term.coefficient));
    }
    for (const Node* atom : term.atoms) factors.push_back(AtomText(*atom));
    absl::StrAppend(&text, absl::StrJoin(factors, "*"));
  }
  if (text.empty()) return absl::StrCat(p.constant);
  if (p.constant > 0) absl::StrAppend(&text, " + ", p.constant);
  if (p.constant < 0) absl::StrAppend(&text, " - ", absl::StrCat(p.constant).substr(1));
  return text;
}

std::string AtomText(const Node& node) {
  const auto child = [&](size_t i) { return node.children[i].ToString(); };
  switch (node.kind) {
    case NodeKind::kSymbol: {
      const SymbolEntry& symbol = *node.owner->symbols[static_cast<size_t>(node.symbol)];
      if (!symbol.reduced) return symbol.info.name;
      const Congruence& c = symbol.info.congruence;
      return c.residue == 0 ? absl::StrCat("floordiv(", symbol.info.name, ", ", c.stride, ")") : absl::StrCat("floordiv(", symbol.info.name, " - ", c.residue, ", ", c.stride, ")");
    }
    case NodeKind::kPolynomial: return absl::StrCat("(", PolynomialText(node.polynomial), ")");
    case NodeKind::kFloorDiv: return absl::StrCat("floordiv(", child(0), ", ", child(1), ")");
    case NodeKind::kMin: return absl::StrCat("min(", child(0), ", ", child(1), ")");
    case NodeKind::kIte: return absl::StrCat("ite(", child(0), ", ", child(1), ", ", child(2), ")");
    case NodeKind::kEqualsZero: return absl::StrCat("(", child(0), " == 0)");
    case NodeKind::kNotNegative: return absl::StrCat("(", child(0), " >= 0)");
  }
  return "";
}

}  // namespace

absl::StatusOr<int64_t> Evaluate(const Expr& e, const Assignment& assignment) { return Evaluator(assignment).Run(e); }

std::vector<std::string> SymbolsOf(const Expr& e) {
  std::set<const Node*> seen;
  std::set<std::string> names;
  CollectSymbols(e, seen, names);
  return {names.begin(), names.end()};
}

std::string Expr::ToString() const {
  if (invalid_) return "overflow";
  if (node_ == nullptr) return absl::StrCat(value_);
  return node_->kind == NodeKind::kPolynomial ? PolynomialText(node_->polynomial) : AtomText(*node_);
}

View ViewOf(const Expr& e) {
  const Node& node = *e.node();
  View view{node.kind, "", {}, 0, node.children};
  if (node.kind == NodeKind::kSymbol) {
    const SymbolEntry& symbol = *node.owner->symbols[static_cast<size_t>(node.symbol)];
    view.symbol = symbol.info.name;
  }
  view.constant = node.polynomial.constant;
  for (const Term& term : node.polynomial.terms) {
    std::vector<Expr> atoms;
    for (const Node* atom : term.atoms) atoms.emplace_back(atom);
    view.terms.emplace_back(term.coefficient, std::move(atoms));
  }
  return view;
}

}  // namespace tessera::solver
