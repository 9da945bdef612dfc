// Cheap decisions about propositions, each layer answering only what it can justify. No SMT solver
// here.
#ifndef TESSERA_SOLVER_DECIDE_H_
#define TESSERA_SOLVER_DECIDE_H_

#include <string>

#include "solver/expr.h"

namespace tessera::solver {

struct Verdict {
  enum Kind { kProved, kRefuted, kUnknown };
  Kind kind = kUnknown;
  // What decided, the costliest layer where there are several (see prover.h): "normal-form",
  // "range", "squares", "hypotheses", "cases", "residues", or "counterexample". For kUnknown the
  // reason: "undecided", "invalid", "contradictory-facts", "no-witness" (it would be proved, but no
  // assignment that satisfies the hypotheses was found, so that the proof could be vacuous).
  std::string by;
  Assignment counterexample;  // kRefuted: satisfies all facts, and the proposition is 0 under it,
                              // both by evaluation
  Expr residual;              // kUnknown: what is left to prove, as a proposition
};

// True for all assignments that satisfy the facts of `context` and make all divisors positive,
// false for one of them, or open.
Verdict Decide(Context& context, const Expr& predicate);

// For what neither Decide nor a solver decides, the residual of the verdict: sizes at which it is
// false among many further ones, in a fixed order. Refuted, or unknown.
Verdict SearchOn(Context& context, const Expr& residual);

// A counterexample with values, as the facts allow them, for the symbols that it does not need.
Assignment Completed(const Context& context, Assignment counterexample);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_DECIDE_H_
