// Contexts and expressions taken elsewhere, for trying out further facts.
#ifndef TESSERA_SOLVER_COPY_H_
#define TESSERA_SOLVER_COPY_H_

#include <memory>

#include "solver/expr.h"

namespace tessera::solver {

// A context with the same symbols and facts, and no expressions. (Facts of the original that are
// contradictory are so there.)
std::unique_ptr<Context> Copy(const Context& context);

// `e` computed anew, as DerivationOf says, in a context that has its symbols.
Expr Transfer(Context& to, const Expr& e);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_COPY_H_
