// What a user could declare of the sizes so that a proposition holds that does not hold for all.
#ifndef TESSERA_SOLVER_REMEDY_H_
#define TESSERA_SOLVER_REMEDY_H_

#include <optional>
#include <string>

#include "solver/expr.h"

namespace tessera::solver {

// One declaration about one or two symbols of the proposition under which Decide proves it, the
// least restrictive of: `H%2=0` (moduli up to 64), `H=W`, `H=1..128`, `H=2..`. `counterexample`
// satisfies the facts and not the proposition. None: nothing of these forms helps.
std::optional<std::string> FindRemedy(const Context& context, const Expr& predicate,
                                      const Assignment& counterexample);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_REMEDY_H_
