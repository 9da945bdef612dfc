// Indices that follow from sizes alone, but of which nothing is said symbolically: what they are at
// some sizes.
#ifndef TESSERA_TOOLS_PROVING_TRIED_POSITIONS_H_
#define TESSERA_TOOLS_PROVING_TRIED_POSITIONS_H_

#include <vector>

#include "absl/status/status.h"
#include "ir/operation.h"
#include "solver/expr.h"

namespace tessera::proving {

// Sizes that declarations and facts admit, small ones first; the same for the same context.
std::vector<solver::Assignment> SomeSizes(const solver::Context& context);

// Computes the operand at these sizes, as executors do, and checks what the op's definition
// requires of its elements. Error: it does not hold, with the sizes. What cannot be computed, or is
// large, is passed over. Nothing that the operand is computed from may be an input of the graph.
absl::Status TryPositions(const ir::Operation& op, size_t operand,
                          const std::vector<solver::Assignment>& sizes);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_TRIED_POSITIONS_H_
