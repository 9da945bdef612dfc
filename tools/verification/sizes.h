// Sizes to try a graph with where nobody has stored any data.
#ifndef TESSERA_TOOLS_VERIFICATION_SIZES_H_
#define TESSERA_TOOLS_VERIFICATION_SIZES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "solver/expr.h"

namespace tessera::verification {

// Up to `count` different assignments to the symbols of the graph's inputs, under which the
// declared facts and the open obligations hold, the inputs have at most 2^20 elements and no result
// of an operation has more than 2^23; the least sizes first, if they are among them. Empty if none
// of several hundred seeded draws was one.
std::vector<solver::Assignment> ChooseSizes(const ir::Graph& graph, size_t count, uint64_t seed);

// Seeded inputs of those sizes, in the graph's order (support/random_tensor.h says how they are
// distributed).
absl::StatusOr<std::vector<ir::Tensor>> RandomInputs(const ir::Graph& graph,
                                                     const solver::Assignment& sizes,
                                                     uint64_t seed);

}  // namespace tessera::verification

#endif  // TESSERA_TOOLS_VERIFICATION_SIZES_H_
