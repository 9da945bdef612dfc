// What a user could declare of the sizes so that a proposition holds that does not hold for all.
#ifndef TESSERA_SOLVER_REMEDY_H_
#define TESSERA_SOLVER_REMEDY_H_

#include <string>
#include <vector>

#include "solver/expr.h"

namespace tessera::solver {

// Declarations about one or two symbols of the proposition, under each of which alone Decide proves
// it; of each of these forms the least restrictive: a bound (`H=1..128`, `H=2..`), `H=W`, a divisor
// (`H%2=0`, up to 64). `counterexample` satisfies the facts and not the proposition. Empty: nothing
// of these forms helps.
std::vector<std::string> FindRemedies(const Context& context, const Expr& predicate,
                                      const Assignment& counterexample);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_REMEDY_H_
