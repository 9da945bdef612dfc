// Networks on f16 or bf16.
#ifndef TESSERA_TOOLS_VERIFICATION_HALVES_H_
#define TESSERA_TOOLS_VERIFICATION_HALVES_H_

#include <vector>

#include "ir/graph.h"

namespace tessera::verification {

// As a PEIR (comparison.h), what an output that follows from computed halves is allowed: one side
// keeps 11 bits or 8 behind each operation, and the other not, or behind others.
inline constexpr double kHalvesTolerance = 2e-2;

// Which outputs follow from halves that some operation computes.
std::vector<bool> FollowFromHalves(const ir::Graph& graph);

}  // namespace tessera::verification

#endif  // TESSERA_TOOLS_VERIFICATION_HALVES_H_
