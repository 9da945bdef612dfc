#include "passes/dead_code.h"

#include "ir/rewriter.h"

namespace tessera::passes {

absl::StatusOr<PassResult> RemoveDeadCode(ir::Graph& graph, PassContext&) {
  ir::Rewriter rewriter(graph);
  const auto erased = static_cast<int64_t>(rewriter.EraseUnused());
  return PassResult{erased > 0, erased};
}

}  // namespace tessera::passes
