// Where a computation divides. Internal to this package.
#ifndef TESSERA_SOLVER_DEFINEDNESS_H_
#define TESSERA_SOLVER_DEFINEDNESS_H_

#include <vector>

#include "solver/expr.h"
#include "solver/syntax.h"

namespace tessera::solver::internal {

struct Division {
  Expr reached;  // a proposition: the division is evaluated, as `&&`, `||` and ite do not evaluate
                 // what they do not need
  Expr divisor;
  // The computation has a value only where this holds.
  Expr Positive() const { return Or(Not(reached), Ge(divisor, 1)); }
};

// The divisions of `syntax` whose divisors are not >= 1 by ranges, operands before what uses them.
std::vector<Division> OpenDivisions(Context& context, const Syntax& syntax);

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_DEFINEDNESS_H_
