// From the core ops to Circle's operators, by the `lower circle` clauses of the definitions.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_LEGALIZE_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_LEGALIZE_H_

#include <vector>

#include "absl/status/status.h"
#include "ir/graph.h"
#include "passes/lower.h"

namespace tessera::circle {

// The dialect of the operators, and the target's name in `lower` clauses.
inline constexpr char kDialect[] = "circle";
// Those of the operators that take quantized tensors (targets/circle/integers).
inline constexpr char kIntegers[] = "circle_integers";

using passes::Refusal;

// One line for each.
absl::Status ErrorOf(const std::vector<Refusal>& refusals);

// Lowers every operation of another dialect, on wider types where there is no other form (widen.h),
// and folds what became constant. All that cannot be lowered is appended to `refusals`, and stays.
absl::Status Legalize(ir::Graph& graph, passes::PassContext& context,
                      std::vector<Refusal>& refusals);

// Spells out those operators that are in the dialect for the sake of patterns but have no code in
// the format.
absl::Status ExpandUncoded(ir::Graph& graph, passes::PassContext& context,
                           std::vector<Refusal>& refusals);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_LEGALIZE_H_
