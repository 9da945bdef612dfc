// One operation for equal operations on equal operands; equal constants become one.
#ifndef TESSERA_PASSES_COMMON_SUBEXPRESSIONS_H_
#define TESSERA_PASSES_COMMON_SUBEXPRESSIONS_H_

#include "absl/status/statusor.h"
#include "passes/pass.h"

namespace tessera::passes {

absl::StatusOr<PassResult> MergeCommonSubexpressions(ir::Graph& graph, PassContext& context);
// The same, but two that both yield outputs of the graph stay two.
absl::StatusOr<PassResult> MergeBesidesOutputs(ir::Graph& graph, PassContext& context);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_COMMON_SUBEXPRESSIONS_H_
