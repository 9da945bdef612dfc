// The target-independent passes in their order.
#ifndef TESSERA_PASSES_PIPELINE_H_
#define TESSERA_PASSES_PIPELINE_H_

#include <string>

#include "passes/pass.h"

namespace tessera::passes {

// What every target runs first: folds, rewrites from the definitions, one of each equal operation,
// nothing unused.
Pipeline CanonicalPipeline();

// The passes above under the names of `dialect`, for a target after its legalization.
Pass CanonicalizePass(const std::string& dialect);
Pass CommonSubexpressionPass();
Pass DeadCodePass();

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_PIPELINE_H_
