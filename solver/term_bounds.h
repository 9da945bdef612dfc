// Bounds along the way an expression was computed. Where the normal form of a size is long, as
// after many divisions one behind the other, what it was computed by is still one operation.
// Internal to this package.
#ifndef TESSERA_SOLVER_TERM_BOUNDS_H_
#define TESSERA_SOLVER_TERM_BOUNDS_H_

#include "solver/expr.h"
#include "solver/store.h"

namespace tessera::solver::internal {

// Whether the proposition holds by the ranges of its symbols, taken through its operations. Of
// `a || b` the second is asked for where the first does not hold, if that is a comparison with a
// number. Each operation is looked at once for as long as nothing new is known; what is not
// recorded is not known.
bool HoldsByTerms(Store& store, const Expr& proposition);

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_TERM_BOUNDS_H_
