// Random inputs that a network has values for.
#ifndef TESSERA_TOOLS_VERIFICATION_LEGAL_INPUTS_H_
#define TESSERA_TOOLS_VERIFICATION_LEGAL_INPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "solver/expr.h"
#include "targets/reference/executor.h"

namespace tessera::verification {

struct LegalInputs {
  std::vector<ir::Tensor> inputs;  // in the graph's order
  std::string note;                // how they differ from RandomInputs; empty: they do not
};

// RandomInputs (sizes.h); where the reference refuses these, because an integer among them is an
// index out of its axis, say, with integers of 0 up to the largest of 15, 7, 3, 1 and 0 at which it
// does not, or 1. Error: it refuses them all; what it says of the first.
absl::StatusOr<LegalInputs> MakeLegalInputs(const ir::Graph& graph,
                                            const reference::Executor& executor,
                                            const solver::Assignment& sizes, uint64_t seed);

}  // namespace tessera::verification

#endif  // TESSERA_TOOLS_VERIFICATION_LEGAL_INPUTS_H_
