// Constant folding with the reference kernels.
#ifndef TESSERA_PASSES_FOLD_H_
#define TESSERA_PASSES_FOLD_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

namespace tessera::passes {

// How much larger the result may be than what it comes from.
enum class FoldedSize { kFewTimes, kAny };

// The constants that replace the results of `op`, built before it; empty where an operand is not
// constant, an attribute is symbolic, the op has an effect or no kernel, the result would be larger
// than `size` says, or the constants would outgrow `context.folding_growth_left`, from which it
// takes what they grow by: a chain of operations that each double a constant must not fill the
// memory.
absl::StatusOr<std::vector<ir::Value*>> FoldOperation(ir::Operation& op, ir::Rewriter& rewriter,
                                                      PassContext& context,
                                                      FoldedSize size = FoldedSize::kFewTimes);

// Every operation once, in order: what folds makes its users fold.
absl::StatusOr<PassResult> FoldConstants(ir::Graph& graph, PassContext& context);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_FOLD_H_
