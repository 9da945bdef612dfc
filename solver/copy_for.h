// Contexts for few expressions of one that has many symbols.
#ifndef TESSERA_SOLVER_COPY_FOR_H_
#define TESSERA_SOLVER_COPY_FOR_H_

#include <memory>

#include "absl/types/span.h"
#include "solver/expr.h"

namespace tessera::solver {

// As Copy, but only with the symbols from which the expressions `about` and the facts of `context`
// are computed, in their order: the work does not grow with the other symbols, and what is decided
// there does not depend on them.
std::unique_ptr<Context> CopyFor(const Context& context, absl::Span<const Expr> about);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_COPY_FOR_H_
