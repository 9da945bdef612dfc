#include "targets/vulkan/compile.h"

#include <string>
#include <vector>

#include "ir/registry.h"
#include "nests/library.h"
#include "passes/pipeline.h"
#include "targets/vulkan/program/legalize.h"

// Defined by generated code.
namespace tessera::ops {
const ir::Dialect& VulkanOps();
absl::Span<const nests::Definition* const> CoreNests();
absl::Span<const nests::Definition* const> VulkanNests();
}  // namespace tessera::ops

namespace tessera::vulkan {
namespace {

absl::StatusOr<passes::PassResult> LegalizeAll(ir::Graph& graph, passes::PassContext& context) {
  const uint64_t before = graph.Fingerprint();
  std::vector<std::string> refusals;
  if (absl::Status status = Legalize(graph, context, refusals); !status.ok()) return status;
  if (absl::Status status = Refused(refusals); !status.ok()) return status;
  passes::PassResult result;
  result.changed = graph.Fingerprint() != before;
  return result;
}

}  // namespace

passes::Pipeline VulkanPipeline() {
  return {
      {"vulkan-legalize",
       "expresses operations by others whose kernels are simpler, or that have any",
       passes::Phase::kLegalize, passes::Numerics::kExact, LegalizeAll},
      passes::CanonicalizePass("core"),
      passes::CommonSubexpressionPass(),
      passes::DeadCodePass(),
  };
}

void RegisterOperators() {
  ir::Registry::Global().Add(ops::VulkanOps());
  nests::Library::Global().Add(ops::CoreNests());
  nests::Library::Global().Add(ops::VulkanNests());
}

}  // namespace tessera::vulkan
