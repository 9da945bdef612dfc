#include "targets/circle/lowering/separate_outputs.h"

#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {

absl::StatusOr<passes::PassResult> SeparateOutputs(ir::Graph& graph, passes::PassContext&) {
  const ir::OpInfo* reshape = ir::Registry::Global().WithRole(kDialect, ir::Role::kReshape);
  if (reshape == nullptr) return absl::InternalError("the dialect has no reshape");
  passes::PassResult result;
  ir::Rewriter rewriter(graph);
  std::set<const ir::Value*> seen;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    ir::Value* output = graph.outputs()[i];
    const ir::Operation* producer = output->producer();
    const bool own = producer != nullptr && producer->info().role != ir::Role::kConstant &&
                     producer->info().role != ir::Role::kSymbolicConstant;
    if (seen.insert(output).second && own) continue;
    if (producer != nullptr) rewriter.SetLocation(producer->location());
    const int64_t rank = output->type().rank();
    absl::StatusOr<ir::Value*> shape =
        rewriter.CreateSymbolicConstant(ir::DType::kI32, {rank}, output->type().dims);
    if (!shape.ok()) return shape.status();
    absl::StatusOr<ir::Operation*> copy = rewriter.Create(
        *reshape, {output, *shape}, std::vector<ir::Attribute>(reshape->attrs.size()));
    if (!copy.ok()) return copy.status();
    if (absl::Status status = rewriter.SetOutput(i, (*copy)->result()); !status.ok()) return status;
    ++result.rewrites;
  }
  result.changed = result.rewrites > 0;
  return result;
}

}  // namespace tessera::circle
