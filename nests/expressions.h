// What sizes and indices a computation is made of.
#ifndef TESSERA_NESTS_EXPRESSIONS_H_
#define TESSERA_NESTS_EXPRESSIONS_H_

#include <vector>

#include "nests/nest.h"

namespace tessera::nests {

// All dims, axes, extents, indices and propositions, those of scalars that recur once.
std::vector<Expr> ExpressionsOf(const Computation& computation);

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_EXPRESSIONS_H_
