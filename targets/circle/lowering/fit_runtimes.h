// Operators that a runtime cannot hold become others that it can.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_FIT_RUNTIMES_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_FIT_RUNTIMES_H_

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "targets/circle/runtimes/runtimes.h"

namespace tessera::circle {

// Applies the `lower circle` clauses of operators that `places` cannot hold as they stand, as long
// as there are any. What has no such clause stays as it is; see `CheckRuntimes`.
absl::StatusOr<passes::PassResult> FitRuntimes(ir::Graph& graph, passes::PassContext& context,
                                               const Places& places);

// Error (Unimplemented): all operations that a strict `places` cannot hold, with scopes, reasons
// and those of their clauses, of which it may lower some then.
absl::Status CheckRuntimes(ir::Graph& graph, passes::PassContext& context, const Places& places);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_FIT_RUNTIMES_H_
