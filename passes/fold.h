// Constant folding with the reference kernels.
#ifndef TESSERA_PASSES_FOLD_H_
#define TESSERA_PASSES_FOLD_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

namespace tessera::passes {

// The constants that replace the results of `op`, built before it; empty where an operand is not
// constant, an attribute is symbolic, the op has an effect or no kernel, or the result would be
// much larger than what it comes from.
absl::StatusOr<std::vector<ir::Value*>> FoldOperation(ir::Operation& op, ir::Rewriter& rewriter);

// Every operation once, in order: what folds makes its users fold.
absl::StatusOr<PassResult> FoldConstants(ir::Graph& graph, PassContext& context);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_FOLD_H_
