#include "solver/smt_encoder.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_set.h"

namespace tessera::solver::internal {
namespace {

// Products that share a factor are compared in pairs, up to so many.
constexpr size_t kMaxCompared = 12;
// Values beyond are too large for planes to be of use, and for their products to fit.
constexpr int64_t kMaxPlane = int64_t{1} << 31;

bool IsPlane(int64_t v) { return v > -kMaxPlane && v < kMaxPlane; }

// The range of what is defined at all sizes. Of others it may say nothing where they are not: Z3
// would find that there are no such sizes.
Range KnownRange(const Expr& e) { return IsDefinedEverywhere(e) ? RangeOf(e) : Range{}; }

}  // namespace

bool IsDefinedEverywhere(const Expr& e) {
  absl::flat_hash_set<Expr> seen;
  std::vector<Expr> pending = {e};
  while (!pending.empty()) {
    const Expr next = pending.back();
    pending.pop_back();
    if (next.IsConstant() || !seen.insert(next).second) continue;
    const View view(next);
    if (view.kind() == ExprKind::kFloorDiv && RangeOf(view.child(1)).lo < 1) return false;
    for (size_t i = 0; i < view.size(); ++i) pending.push_back(view.child(i));
  }
  return true;
}

z3::expr SmtEncoder::Fresh() { return z3_.constant(z3_.int_symbol(fresh_++), z3_.int_sort()); }

z3::expr SmtEncoder::Symbol(const std::string& name) {
  const auto it = symbols_.find(name);
  if (it != symbols_.end()) return it->second;
  const z3::expr symbol = Fresh();
  symbols_.emplace(name, symbol);
  const SymbolInfo* info = context_.Find(name);
  if (info == nullptr) return symbol;
  if (info->range.lo != Range::kNegInf) solver_.add(symbol >= Number(info->range.lo));
  if (info->range.hi != Range::kPosInf) solver_.add(symbol <= Number(info->range.hi));
  if (info->congruence.stride > 1) {
    solver_.add(symbol ==
                Number(info->congruence.stride) * Fresh() + Number(info->congruence.residue));
  }
  return symbol;
}

void SmtEncoder::DefineQuotient(const Expr& e, const Expr& numerator, const Expr& divisor) {
  const Expr rest = numerator - divisor * e;
  if (rest.IsInvalid()) return;
  const z3::expr r = Integer(rest);
  const z3::expr d = Integer(divisor);
  const z3::expr defined = r >= 0 && r < d;
  solver_.add(KnownRange(divisor).lo >= 1 ? defined : z3::implies(d >= 1, defined));
}

z3::expr SmtEncoder::PlaneAt(const Product& p, int64_t from_a, int64_t from_b) {
  return p.value - Number(from_b) * p.a - Number(from_a) * p.b + Number(from_a * from_b);
}

void SmtEncoder::AssertBounds(const Product& p) {
  const Range a = KnownRange(p.x);
  const Range b = KnownRange(p.y);
  for (const int64_t from_a : {a.lo, a.hi}) {
    for (const int64_t from_b : {b.lo, b.hi}) {
      if (!IsPlane(from_a) || !IsPlane(from_b)) continue;
      const bool alike = (from_a == a.lo) == (from_b == b.lo);
      const z3::expr plane = PlaneAt(p, from_a, from_b);
      solver_.add(alike ? plane >= 0 : plane <= 0);
    }
  }
  // The same about 1 and -1, where the signs are not known.
  if (a.lo < 0 && a.hi > 0) solver_.add(z3::implies(p.a == 0, p.value == 0));
  if (b.lo < 0 && b.hi > 0) solver_.add(z3::implies(p.b == 0, p.value == 0));
  for (const int64_t at_a : {1, -1}) {
    for (const int64_t at_b : {1, -1}) {
      if ((at_a == 1 ? a.lo >= 0 : a.hi <= 0) && (at_b == 1 ? b.lo >= 0 : b.hi <= 0)) continue;
      if ((at_a == 1 ? a.hi < 1 : a.lo > -1) || (at_b == 1 ? b.hi < 1 : b.lo > -1)) continue;
      const z3::expr plane = PlaneAt(p, at_a, at_b);
      solver_.add(
          z3::implies((at_a == 1 ? p.a >= 1 : p.a <= -1) && (at_b == 1 ? p.b >= 1 : p.b <= -1),
                      at_a == at_b ? plane >= 0 : plane <= 0));
    }
  }
}

// c*x and c*y are ordered as x and y are, by the sign of c.
void SmtEncoder::AssertOrder(const Product& p, const Product& q) {
  for (const auto& [c, of_c, x, of_x] :
       {std::make_tuple(p.a, p.x, p.b, p.y), std::make_tuple(p.b, p.y, p.a, p.x)}) {
    for (const auto& [d, of_d, y, of_y] :
         {std::make_tuple(q.a, q.x, q.b, q.y), std::make_tuple(q.b, q.y, q.a, q.x)}) {
      if (!(of_c == of_d) || of_x == of_y) continue;
      const Range sign = KnownRange(of_c);
      if (sign.hi > 0) {
        const z3::expr order = z3::implies(x <= y, p.value <= q.value) &&
                               z3::implies(x >= y, p.value >= q.value) &&
                               z3::implies(x < y, p.value + c <= q.value) &&
                               z3::implies(x > y, p.value >= q.value + c);
        solver_.add(sign.lo >= 0 ? order : z3::implies(c >= 0, order));
      }
      if (sign.lo < 0) {
        const z3::expr order =
            z3::implies(x <= y, p.value >= q.value) && z3::implies(x >= y, p.value <= q.value);
        solver_.add(sign.hi <= 0 ? order : z3::implies(c <= 0, order));
      }
    }
  }
}

z3::expr SmtEncoder::Multiply(const Expr& e) {
  const View view(e);
  Expr rest = view.child(1);
  for (size_t i = 2; i < view.size(); ++i) rest *= view.child(i);
  const z3::expr value = Fresh();
  if (rest.IsInvalid()) return value;
  const Product product{Integer(view.child(0)), Integer(rest), value, view.child(0), rest};
  AssertBounds(product);
  for (size_t i = 0; i < std::min(products_.size(), kMaxCompared); ++i)
    AssertOrder(products_[i], product);
  products_.push_back(product);
  return value;
}

z3::expr SmtEncoder::Encode(const Expr& e) {
  const View view(e);
  switch (view.kind()) {
    case ExprKind::kInvalid:
      return Fresh();
    case ExprKind::kConstant:
      return Number(view.constant());
    case ExprKind::kSymbol:
      return Symbol(std::string(view.symbol()));
    case ExprKind::kSum: {
      z3::expr sum = Number(view.constant());
      for (size_t i = 0; i < view.size(); ++i) {
        sum = sum + Number(view.coefficient(i)) * Integer(view.child(i));
      }
      return sum;
    }
    case ExprKind::kProduct:
      return Multiply(e);
    case ExprKind::kFloorDiv:
      return Fresh();
    case ExprKind::kMin: {
      z3::expr least = Integer(view.child(0));
      for (size_t i = 1; i < view.size(); ++i) {
        const z3::expr other = Integer(view.child(i));
        least = z3::ite(least <= other, least, other);
      }
      return least;
    }
    case ExprKind::kIte:
      return z3::ite(Truth(view.child(0)), Integer(view.child(1)), Integer(view.child(2)));
    case ExprKind::kEqZero:
      return Integer(view.child(0)) == 0;
    case ExprKind::kGeZero:
      return Integer(view.child(0)) >= 0;
    case ExprKind::kAnd: {
      z3::expr all = Truth(view.child(0));
      for (size_t i = 1; i < view.size(); ++i) all = all && Truth(view.child(i));
      return all;
    }
  }
  return Number(0);
}

z3::expr SmtEncoder::Integer(const Expr& e) {
  auto it = encoded_.find(e);
  if (it == encoded_.end()) {
    const z3::expr term = Encode(e);
    it = encoded_.emplace(e, term).first;
    const View view(e);
    if (view.kind() == ExprKind::kFloorDiv) {
      DefineQuotient(e, view.child(0), view.child(1));
      it = encoded_.find(e);
    }
  }
  const z3::expr& term = it->second;
  return term.is_bool() ? z3::ite(term, Number(1), Number(0)) : term;
}

z3::expr SmtEncoder::Truth(const Expr& e) {
  Integer(e);
  const z3::expr& term = encoded_.at(e);
  return term.is_bool() ? term : term != 0;
}

Assignment SmtEncoder::ModelOf(const z3::model& model) const {
  Assignment assignment;
  for (const auto& [name, symbol] : symbols_) {
    int64_t value = 0;
    if (model.eval(symbol, true).is_numeral_i64(value)) assignment[name] = value;
  }
  return assignment;
}

bool SmtEncoder::Refine(const z3::model& model) {
  bool refined = false;
  for (const Product& p : products_) {
    int64_t a = 0;
    int64_t b = 0;
    if (!model.eval(p.a, true).is_numeral_i64(a) || !model.eval(p.b, true).is_numeral_i64(b) ||
        !IsPlane(a) || !IsPlane(b))
      continue;
    int64_t value = 0;
    if (model.eval(p.value, true).is_numeral_i64(value) && value == a * b) continue;
    const z3::expr plane = PlaneAt(p, a, b);
    solver_.add(z3::implies(p.a == Number(a) || p.b == Number(b), plane == 0));
    solver_.add(z3::implies((p.a <= Number(a)) == (p.b <= Number(b)), plane >= 0));
    solver_.add(z3::implies((p.a <= Number(a)) == (p.b >= Number(b)), plane <= 0));
    refined = true;
  }
  return refined;
}

}  // namespace tessera::solver::internal
