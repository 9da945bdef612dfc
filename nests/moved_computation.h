// What an operation computes, in a copy of its graph's context, where axes are symbols.
#ifndef TESSERA_NESTS_MOVED_COMPUTATION_H_
#define TESSERA_NESTS_MOVED_COMPUTATION_H_

#include <optional>

#include "ir/operation.h"
#include "nests/nest.h"

namespace tessera::nests {

// None: it has no nests.
std::optional<Computation> MovedComputation(const ir::Operation& operation,
                                            solver::Context& context);

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_MOVED_COMPUTATION_H_
