// Removes pure operations whose results nobody uses.
#ifndef TESSERA_PASSES_DEAD_CODE_H_
#define TESSERA_PASSES_DEAD_CODE_H_

#include "absl/status/statusor.h"
#include "passes/pass.h"

namespace tessera::passes {

absl::StatusOr<PassResult> RemoveDeadCode(ir::Graph& graph, PassContext& context);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_DEAD_CODE_H_
