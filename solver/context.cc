#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "solver/bounds.h"
#include "solver/expr.h"
#include "solver/facts.h"
#include "solver/rules.h"
#include "solver/store.h"

namespace tessera::solver {

using internal::Store;
using internal::SymbolEntry;

Context* Expr::context() const {
  return node_ == nullptr || node_->store == nullptr ? nullptr : node_->store->context;
}

Context::Context() : store_(std::make_unique<Store>(this)) {}
Context::~Context() = default;

Expr Context::Symbol(std::string_view name) {
  int index = store_->FindSymbol(name);
  if (index < 0) {
    index = static_cast<int>(store_->symbols.size());
    store_->AddSymbol(std::string(name), SymbolInfo().range, {}, "");
  }
  return Store::Of(store_->symbols[static_cast<size_t>(index)].current,
                   store_->Intern({store_.get(), Op::kSymbol, {}, index}));
}

absl::StatusOr<Expr> Context::Declare(std::string name, Range range, Congruence congruence,
                                      std::string origin) {
  if (name.empty()) return absl::InvalidArgumentError("a symbol without a name");
  if (congruence.stride < 1 || congruence.residue < 0 || congruence.residue >= congruence.stride) {
    return absl::InvalidArgumentError(
        absl::StrCat("`", name, " mod ", congruence.stride, " == ", congruence.residue,
                     "`: the remainder is outside 0..", congruence.stride, "-1"));
  }
  if (!internal::Tighten(range, congruence)) {
    return absl::InvalidArgumentError(
        absl::StrCat("no value of `", name, "` is in its range and has its remainder"));
  }
  if (const SymbolInfo* known = Find(name)) {
    if (known->range == range && known->congruence == congruence) return Symbol(name);
    return absl::AlreadyExistsError(absl::StrCat("symbol `", name, "` is declared twice",
                                                 known->origin.empty() ? "" : ", first by ",
                                                 known->origin));
  }
  store_->AddSymbol(name, range, congruence, std::move(origin));
  return Symbol(name);
}

const SymbolInfo* Context::Find(std::string_view name) const {
  const int index = store_->FindSymbol(name);
  return index < 0 ? nullptr : &store_->symbols[static_cast<size_t>(index)].info;
}

std::vector<const SymbolInfo*> Context::symbols() const {
  std::vector<const SymbolInfo*> result;
  result.reserve(store_->symbols.size());
  for (const SymbolEntry& entry : store_->symbols) result.push_back(&entry.info);
  return result;
}

absl::Status Context::Assume(const Expr& predicate, std::string origin) {
  const Expr fact = Renormalize(internal::ToProposition(predicate));
  if (fact.IsInvalid()) return absl::InvalidArgumentError("a fact is an invalid expression");
  if (!fact.IsConstant() && fact.context() != this)
    return absl::InvalidArgumentError("a fact belongs to another context");
  // Kept as it was written.
  store_->facts.push_back({Store::Of(fact, Store::TermOf(predicate)), std::move(origin)});
  if (internal::FactApplier(*store_).Apply(fact)) return absl::OkStatus();
  store_->contradictory = true;
  const Fact& last = store_->facts.back();
  return absl::FailedPreconditionError(
      absl::StrCat("fact `", fact.ToString(), "`",
                   last.origin.empty() ? "" : absl::StrCat(" (", last.origin, ")"),
                   " contradicts the facts before it"));
}

absl::Span<const Fact> Context::facts() const { return store_->facts; }
absl::Span<const Expr> Context::hypotheses() const { return store_->hypotheses; }
bool Context::contradictory() const { return store_->contradictory; }

Expr Context::Renormalize(const Expr& e) {
  const internal::Node* node = Store::NodeOf(e);
  if (node == nullptr || node->store != store_.get()) return e;
  if (node->generation == store_->generation && node->kind != internal::Kind::kSymbol &&
      node->kind != internal::Kind::kQuotient)
    return e;
  return internal::Rebuild(e, {.leaf = internal::CurrentLeaf});
}

std::vector<Expr> Context::unproved_divisors() const {
  std::vector<Expr> result;
  for (const Expr& divisor : store_->divisors) {
    const Expr now = internal::Rebuild(divisor, {.leaf = internal::CurrentLeaf});
    if (now.IsConstant() ? *now.Constant() < 1 : RangeOf(now).lo < 1) result.push_back(now);
  }
  return result;
}

}  // namespace tessera::solver
