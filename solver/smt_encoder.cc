#include "solver/smt_encoder.h"

#include "absl/strings/str_cat.h"

namespace tessera::solver::internal {

z3::expr SmtEncoder::Fresh(const char* prefix) {
  return z3_.int_const(absl::StrCat(prefix, "!", ++fresh_).c_str());
}

z3::expr SmtEncoder::Symbol(const std::string& name) {
  const auto it = symbols_.find(name);
  if (it != symbols_.end()) return it->second;
  const z3::expr symbol = z3_.int_const(name.c_str());
  symbols_.emplace(name, symbol);
  const SymbolInfo* info = context_.Find(name);
  if (info == nullptr) return symbol;
  if (info->range.lo != Range::kNegInf) solver_.add(symbol >= Number(info->range.lo));
  if (info->range.hi != Range::kPosInf) solver_.add(symbol <= Number(info->range.hi));
  if (info->congruence.stride > 1) {
    solver_.add(symbol ==
                Number(info->congruence.stride) * Fresh("k") + Number(info->congruence.residue));
  }
  return symbol;
}

z3::expr SmtEncoder::Quotient(const Expr& numerator, const Expr& divisor) {
  const z3::expr a = Integer(numerator);
  const z3::expr d = Integer(divisor);
  if (!divisor.IsConstant()) {
    solver_.add(d >= 1);
  } else if (division_ == Division::kQuotientVariable) {
    const z3::expr q = Fresh("q");
    const z3::expr r = Fresh("r");
    solver_.add(a == d * q + r);
    solver_.add(r >= 0);
    solver_.add(r < d);
    return q;
  }
  // Euclidean, which is floor for d >= 1.
  return z3::expr(z3_, Z3_mk_div(z3_, a, d));
}

z3::expr SmtEncoder::Encode(const Expr& e) {
  const View view(e);
  switch (view.kind()) {
    case ExprKind::kInvalid:
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
    case ExprKind::kProduct: {
      z3::expr product = Integer(view.child(0));
      for (size_t i = 1; i < view.size(); ++i) product = product * Integer(view.child(i));
      return product;
    }
    case ExprKind::kFloorDiv:
      return Quotient(view.child(0), view.child(1));
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

bool IsAffine(const Expr& e) {
  absl::flat_hash_set<Expr> seen;
  std::vector<Expr> pending = {e};
  while (!pending.empty()) {
    const Expr next = pending.back();
    pending.pop_back();
    if (next.IsConstant() || !seen.insert(next).second) continue;
    const View view(next);
    if (view.kind() == ExprKind::kProduct) return false;
    if (view.kind() == ExprKind::kFloorDiv && !view.child(1).IsConstant()) return false;
    for (size_t i = 0; i < view.size(); ++i) pending.push_back(view.child(i));
  }
  return true;
}

}  // namespace tessera::solver::internal
