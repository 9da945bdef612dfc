#include "targets/vulkan/compile.h"

#include <string>
#include <string_view>
#include <vector>

#include "ir/capabilities.h"
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

// The form of an operation that guards of lowerings ask for where another one takes less memory.
constexpr std::string_view kInMoreMemory = "in_more_memory";

class Preference : public ir::Capabilities {
 public:
  explicit Preference(bool least_memory) : least_memory_(least_memory) {}
  bool Runs(std::string_view, ir::DType, int64_t, std::string_view feature) const override {
    return !least_memory_ || feature != kInMoreMemory;
  }

 private:
  bool least_memory_;
};

absl::StatusOr<passes::PassResult> LegalizeAll(ir::Graph& graph, passes::PassContext& context,
                                               bool least_memory) {
  std::vector<std::string> refusals;
  const Preference preference(least_memory);
  if (absl::Status status = Legalize(graph, context, refusals, &preference); !status.ok())
    return status;
  if (absl::Status status = Refused(refusals); !status.ok()) return status;
  passes::PassResult result;
  result.unsure = true;
  return result;
}

}  // namespace

passes::Pipeline VulkanPipeline(bool least_memory) {
  return {
      {"vulkan-legalize",
       "expresses operations by others whose kernels are simpler, or that have any",
       passes::Phase::kLegalize,
       passes::Numerics::kExact,
       {passes::kAllParts, passes::kContents},
       [least_memory](ir::Graph& graph, passes::PassContext& context) {
         return LegalizeAll(graph, context, least_memory);
       }},
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
