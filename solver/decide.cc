#include "solver/decide.h"

#include "solver/prover.h"
#include "solver/rules.h"
#include "solver/search.h"
#include "solver/store.h"

namespace tessera::solver {
namespace {

constexpr int kRandomRounds = 4096;

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
  if (store.hypotheses.empty() && store.divisors.empty()) return true;
  const size_t known = store.facts.size() + store.divisors.size() + 1;
  if (store.witness_generation == known) return store.has_witness;
  internal::Search search(store, 0);
  store.has_witness = search.TrySmall() || search.TryMany(kRandomRounds);
  store.witness_generation = known;
  return store.has_witness;
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
  internal::Search search(store, goal);
  const auto refuted = [&] {
    return Verdict{Verdict::kRefuted, "counterexample", search.Result(), 0};
  };
  if (search.TrySmall()) return refuted();
  if (!goal.IsConstant()) {
    internal::Prover prover(store);
    if (prover.Prove(goal)) return proved(NameOf(prover.layer()));
  }
  if (search.TryMany(kRandomRounds)) return refuted();
  return Unknown(goal.IsConstant() ? "no-witness" : "undecided", goal);
}

}  // namespace tessera::solver
