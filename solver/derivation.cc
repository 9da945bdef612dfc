// The record of how expressions were computed.
#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "solver/expr.h"
#include "solver/store.h"
#include "solver/syntax.h"

namespace tessera::solver {
namespace internal {
namespace {

Op FoldOp(ExprKind kind) {
  switch (kind) {
    case ExprKind::kProduct:
      return Op::kMultiply;
    case ExprKind::kMin:
      return Op::kMin;
    default:
      return Op::kAnd;
  }
}

}  // namespace

size_t Store::TermHash::operator()(const Term* term) const {
  uint64_t h = static_cast<uint64_t>(term->op) * 0x9E3779B97F4A7C15 +
               static_cast<uint64_t>(term->value) * 0xD6E8FEB86659FD93;
  for (const Term* operand : term->operands) {
    h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9 + reinterpret_cast<uintptr_t>(operand);
  }
  return h ^ (h >> 32);
}

const Term* Store::Intern(Term term) {
  constexpr uint32_t kMost = 1 << 24;
  term.weight = 1;
  for (const Term* operand : term.operands) {
    if (operand != nullptr) term.weight = std::min(kMost, term.weight + operand->weight);
  }
  const auto it = terms_.find(&term);
  if (it != terms_.end()) return *it;
  const Term* owned = new (Allocate(sizeof(Term))) Term(term);
  terms_.insert(owned);
  return owned;
}

const Term* Store::TermFor(const Expr& e) {
  if (e.term_ != nullptr) return e.term_;
  const auto integer = [this](int64_t value) {
    return Intern(Term{this, Op::kInteger, {}, value});
  };
  if (e.IsConstant()) return integer(*e.Constant());
  if (const auto it = terms_of_nodes_.find(e.node_); it != terms_of_nodes_.end()) return it->second;
  const auto apply = [this](Op op, const Term* a, const Term* b, const Term* c = nullptr) {
    return Intern(Term{this, op, {a, b, c}, 0});
  };
  const View view(e);
  std::vector<const Term*> children;
  for (size_t i = 0; i < view.size(); ++i) children.push_back(TermFor(view.child(i)));
  const Term* result = nullptr;
  switch (view.kind()) {
    case ExprKind::kInvalid:
    case ExprKind::kConstant:
      return integer(0);
    case ExprKind::kSymbol:
      result = Intern(Term{this, Op::kSymbol, {}, FindSymbol(view.symbol())});
      break;
    case ExprKind::kSum:
      if (view.constant() != 0) result = integer(view.constant());
      for (size_t i = 0; i < children.size(); ++i) {
        const int64_t factor = view.coefficient(i);
        const Term* summand =
            factor == 1 ? children[i] : apply(Op::kMultiply, integer(factor), children[i]);
        result = result == nullptr ? summand : apply(Op::kAdd, result, summand);
      }
      break;
    case ExprKind::kProduct:
    case ExprKind::kMin:
    case ExprKind::kAnd:
      result = children[0];
      for (size_t i = 1; i < children.size(); ++i) {
        result = apply(FoldOp(view.kind()), result, children[i]);
      }
      break;
    case ExprKind::kFloorDiv:
      result = apply(Op::kFloorDiv, children[0], children[1]);
      break;
    case ExprKind::kIte:
      result = apply(Op::kIte, children[0], children[1], children[2]);
      break;
    case ExprKind::kEqZero:
      result = apply(Op::kEq, children[0], integer(0));
      break;
    case ExprKind::kGeZero:
      result = apply(Op::kGe, children[0], integer(0));
      break;
  }
  terms_of_nodes_.emplace(e.node_, result);
  return result;
}

Expr Recorded(const Expr& value, Op op, const Expr& a, const Expr& b, const Expr& c) {
  const std::array<const Expr*, 3> operands = {&a, &b, &c};
  const Term* known = nullptr;
  for (const Expr* operand : operands) {
    if (known == nullptr) known = Store::TermOf(*operand);
  }
  if (known == nullptr || value.IsInvalid()) return value;
  // Neutral operands, for brevity.
  const auto is = [](const Expr& e, int64_t number) {
    return e.IsLiteral() && *e.Constant() == number;
  };
  if ((op == Op::kAdd || op == Op::kSubtract) && is(b, 0)) return a;
  if (op == Op::kAdd && is(a, 0)) return b;
  if (op == Op::kMultiply && is(a, 1)) return b;
  if ((op == Op::kMultiply || op == Op::kFloorDiv) && is(b, 1)) return a;

  Term term{known->store, op, {}, 0};
  for (int i = 0; i < OperandCount(op); ++i) {
    const Expr& operand = *operands[static_cast<size_t>(i)];
    term.operands[i] = known->store->TermFor(operand);
  }
  return Store::Of(value, known->store->Intern(term));
}

}  // namespace internal

Expr Derived(const Expr& e) {
  if (e.derivation() != nullptr || e.context() == nullptr) return e;
  return internal::Store::Of(e, e.context()->store().TermFor(e));
}

std::optional<Expr> Shorten(Expr& e) {
  constexpr uint32_t kLong = 16;
  const internal::Term* long_term = e.derivation();
  if (long_term == nullptr || long_term->weight <= kLong) return std::nullopt;
  const Expr normal = internal::Bare(e);
  const internal::Term* short_term = long_term->store->TermFor(normal);
  if (short_term->weight > long_term->weight / 2) return std::nullopt;
  const Expr equal =
      internal::Recorded(Expr(1), Op::kEq, e, internal::Store::Of(normal, short_term));
  e = normal.IsConstant() ? normal : internal::Store::Of(normal, short_term);
  return equal;
}

Syntax DerivationOf(const Expr& e) {
  Syntax syntax;
  if (e.IsConstant() && e.IsLiteral()) {
    syntax.nodes.push_back({Op::kInteger, {}, *e.Constant()});
    return syntax;
  }
  using internal::Term;
  const Term* root = internal::Store::TermOf(e);
  if (root == nullptr) root = e.context()->store().TermFor(e);
  absl::flat_hash_map<const Term*, uint32_t> places;
  absl::flat_hash_map<int64_t, int64_t> symbols;
  std::vector<const Term*> pending = {root};
  while (!pending.empty()) {
    const Term* term = pending.back();
    if (places.contains(term)) {
      pending.pop_back();
      continue;
    }
    bool ready = true;
    for (int i = OperandCount(term->op); i-- > 0;) {
      if (places.contains(term->operands[i])) continue;
      pending.push_back(term->operands[i]);
      ready = false;
    }
    if (!ready) continue;
    pending.pop_back();
    SyntaxNode node{term->op, {}, term->value};
    for (int i = 0; i < OperandCount(term->op); ++i) node.operands[i] = places[term->operands[i]];
    if (term->op == Op::kSymbol) {
      const auto [it, fresh] =
          symbols.try_emplace(term->value, static_cast<int64_t>(syntax.symbols.size()));
      if (fresh) {
        syntax.symbols.push_back(term->store->symbols[static_cast<size_t>(term->value)].info.name);
      }
      node.value = it->second;
    }
    places.emplace(term, static_cast<uint32_t>(syntax.nodes.size()));
    syntax.nodes.push_back(node);
  }
  return syntax;
}

}  // namespace tessera::solver
