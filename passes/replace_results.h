// Replaces what an operation yields.
#ifndef TESSERA_PASSES_REPLACE_RESULTS_H_
#define TESSERA_PASSES_REPLACE_RESULTS_H_

#include <vector>

#include "absl/status/status.h"
#include "ir/rewriter.h"

namespace tessera::passes {

// Uses of result i become `values[i]`, for every result that is used. `op` is gone afterwards,
// unless something else keeps it.
absl::Status ReplaceResults(ir::Rewriter& rewriter, ir::Operation& op,
                            const std::vector<ir::Value*>& values);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_REPLACE_RESULTS_H_
