// Proofs in contexts in which more is known of symbols. Internal to this package.
#ifndef TESSERA_SOLVER_BRANCHES_H_
#define TESSERA_SOLVER_BRANCHES_H_

#include "solver/expr.h"
#include "solver/prover.h"

namespace tessera::solver::internal {

// Proves `goal`, normal with respect to the facts of `context`, where one of these leads on:
//   a hypothesis that a polynomial d divides a symbol x: x is d times a new symbol;
//   the least values of a symbol x, one by one, and all that are greater.
// `layer` is set on success: kHypotheses or kCases.
bool ProveInBranches(const Context& context, const Expr& goal, Layer& layer);

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_BRANCHES_H_
