// Operations on element types that the format stores but computes nothing in.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_WIDEN_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_WIDEN_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/lower.h"

namespace tessera::circle {

// Each refused operation of another dialect on integers of 8 and 16 bits, u32, f16 or bf16 becomes
// the same on i32, i64 or f32, between conversions: integers keep the low bits of what wider ones
// yield, and the definitions compute f16 and bf16 in f32 and round what they store. Of integers
// only what is elementwise: nothing else may count on the limits of its type. Whether there was
// any.
absl::StatusOr<bool> Widen(ir::Graph& graph, const std::vector<passes::Refusal>& refusals);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_WIDEN_H_
