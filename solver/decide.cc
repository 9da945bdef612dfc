#include "solver/decide.h"

#include <array>
#include <utility>
#include <vector>

#include "solver/branches.h"
#include "solver/prover.h"
#include "solver/rules.h"
#include "solver/search.h"
#include "solver/store.h"
#include "solver/term_bounds.h"

namespace tessera::solver {
namespace {

constexpr int kRandomRounds = 4096;
// Those of what nothing else decides: some hundredths of a second.
constexpr int kFurtherRounds = 65536;

const char* NameOf(internal::Layer layer) {
  switch (layer) {
    case internal::Layer::kNormalForm:
      return "normal-form";
    case internal::Layer::kRange:
      return "range";
    case internal::Layer::kSquares:
      return "squares";
    case internal::Layer::kHypotheses:
      return "hypotheses";
    case internal::Layer::kCases:
      return "cases";
    case internal::Layer::kResidues:
      return "residues";
  }
  return "";
}

Verdict Unknown(const char* reason, const Expr& residual) {
  return {Verdict::kUnknown, reason, {}, residual};
}

// A proof is worth something only if the facts can be satisfied. Ranges, congruences and values of
// symbols can by construction.
bool FactsHaveWitness(internal::Store& store) {
  if (store.hypotheses.empty()) return true;
  const size_t known = store.facts.size() + 1;
  if (store.witness_generation == known) return store.has_witness;
  internal::Search search(store, 0);
  store.has_witness = search.TrySmall() || search.TryMany(kRandomRounds);
  store.witness_generation = known;
  return store.has_witness;
}

// What a search that succeeded has found; unknown where what was said of the sizes excludes it.
Verdict Refuted(Context& context, internal::Search& search, const Expr& goal) {
  Assignment counterexample = search.Result();
  // The search knows the facts as ranges, congruences, values and hypotheses; here they are what
  // was said.
  const std::vector<Fact>& facts = context.store().facts;
  const Assignment complete = facts.empty() ? counterexample : Completed(context, counterexample);
  for (const Fact& fact : facts) {
    const absl::StatusOr<int64_t> value = Evaluate(fact.predicate, complete);
    if (!value.ok() || *value == 0) return Unknown("undecided", goal);
  }
  return Verdict{Verdict::kRefuted, "counterexample", std::move(counterexample), 0};
}

std::array<size_t, 3> KnownIn(const internal::Store& store) {
  return {store.facts.size(), store.divisors.size(), store.symbols.size()};
}

}  // namespace

Verdict Decide(Context& context, const Expr& predicate) {
  internal::Store& store = context.store();
  const Expr goal = context.Renormalize(internal::ToProposition(predicate));
  if (goal.IsInvalid()) return Unknown("invalid", goal);
  if (store.contradictory) return Unknown("contradictory-facts", goal);
  const auto proved = [&](const char* by) {
    return FactsHaveWitness(store) ? Verdict{Verdict::kProved, by, {}, 1}
                                   : Unknown("no-witness", goal);
  };
  if (goal == Expr(1)) return proved("normal-form");
  const internal::Node* const node = internal::Store::NodeOf(goal);
  if (const auto earlier = store.proved.find(node); earlier != store.proved.end())
    return proved(earlier->second);
  if (const std::array<size_t, 3> known = KnownIn(store); store.undecided_when != known) {
    store.undecided.clear();
    store.undecided_when = known;
  }
  if (store.undecided.contains(node)) return Unknown("undecided", goal);
  if (internal::HoldsByTerms(store, predicate)) {
    const char* range = NameOf(internal::Layer::kRange);
    store.proved.emplace(node, range);
    return proved(range);
  }
  internal::Search search(store, goal);
  if (search.TrySmall()) return Refuted(context, search, goal);
  if (!goal.IsConstant()) {
    internal::Prover prover(store);
    if (prover.Prove(goal)) {
      store.proved.emplace(node, NameOf(prover.layer()));
      return proved(NameOf(prover.layer()));
    }
  }
  if (search.TryMany(kRandomRounds)) return Refuted(context, search, goal);
  internal::Layer layer;
  if (!goal.IsConstant() && internal::ProveInBranches(context, goal, layer)) {
    store.proved.emplace(node, NameOf(layer));
    return proved(NameOf(layer));
  }
  if (node != nullptr) store.undecided.insert(node);
  return Unknown(goal.IsConstant() ? "no-witness" : "undecided", goal);
}

Verdict SearchOn(Context& context, const Expr& goal) {
  internal::Search search(context.store(), goal);
  if (search.TryRandom(kRandomRounds, kRandomRounds + kFurtherRounds))
    return Refuted(context, search, goal);
  return Unknown("undecided", goal);
}

Assignment Completed(const Context& context, Assignment counterexample) {
  const std::vector<const SymbolInfo*> symbols = context.symbols();
  for (const SymbolInfo* symbol : symbols) {
    if (symbol->value) continue;
    // Finite ends of a range have the remainder of the congruence.
    counterexample.emplace(symbol->name, symbol->range.lo != Range::kNegInf ? symbol->range.lo
                                         : symbol->range.hi != Range::kPosInf
                                             ? symbol->range.hi
                                             : symbol->congruence.residue);
  }
  for (const SymbolInfo* symbol : symbols) {
    if (!symbol->value || counterexample.contains(symbol->name)) continue;
    const absl::StatusOr<int64_t> value = Evaluate(*symbol->value, counterexample);
    if (value.ok()) counterexample.emplace(symbol->name, *value);
  }
  return counterexample;
}

}  // namespace tessera::solver
