// Indices that follow from sizes alone, but not simply from their own index: ranges that were
// sliced, joined, chosen by conditions.
#ifndef TESSERA_TOOLS_PROVING_POSITIONS_H_
#define TESSERA_TOOLS_PROVING_POSITIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph.h"

namespace tessera::proving {

// Adds to the graph's obligations what definitions require of operands with `elements?`, of which
// neither elements nor extremes are known, but which are computed from no data: for the first and
// the last element along each axis, for those where pieces of such an operand meet, and some
// between. What holds of operands that data decide, whatever these are, is added to what is proved
// (data_indices.h). Error, InvalidArgument: one line for each requirement that some sizes break,
// with such sizes and a remedy; what mends the first of them is attached (solver/remedy.h). `file`
// begins each line. `left`: of which operands nothing was shown because data decide them, one line
// each.
absl::Status RequirePositions(ir::Graph& graph, const std::string& file,
                              std::vector<std::string>& left);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_POSITIONS_H_
