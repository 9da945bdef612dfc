// Applies the rewrites of the op definitions, and folds, to a fixed point.
//
// Termination: a rewrite states its cost only through its author; so a cap on the number of
// applications, proportional to the size of the graph, is an error that names the rewrite applied
// last.
#ifndef TESSERA_PASSES_CANONICALIZE_H_
#define TESSERA_PASSES_CANONICALIZE_H_

#include <string>

#include "absl/status/statusor.h"
#include "passes/pass.h"

namespace tessera::passes {

// One worklist over the operations of `dialect`; each is matched against the patterns whose root it
// is, in the order of `Registry::RewritesAt`. The late ones are tried when a round of all
// operations has found nothing else to do.
absl::StatusOr<PassResult> Canonicalize(ir::Graph& graph, const std::string& dialect,
                                        PassContext& context);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_CANONICALIZE_H_
