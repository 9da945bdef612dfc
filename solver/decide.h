// The cheap layers of deciding a proposition: normal form, ranges, search for a counterexample. None of them guesses.
#ifndef TESSERA_SOLVER_DECIDE_H_
#define TESSERA_SOLVER_DECIDE_H_

#include <string>

#include "solver/expr.h"

namespace tessera::solver {

struct Verdict {
  enum Kind { kProved, kRefuted, kUnknown } kind = kUnknown;
  std::string by;             // `normal form`, `range`, `residues`, `counterexample`
  Assignment counterexample;  // of kRefuted
  Expr residual;              // of kUnknown: what is left to decide
};

Verdict Decide(Context& context, const Expr& proposition);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_DECIDE_H_
