#include "targets/vulkan/compile.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
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

// The forms of an operation that guards of lowerings ask for where another one takes less memory,
// and where its tensors have more bytes than a number: `over_134217728_bytes`.
constexpr std::string_view kInMoreMemory = "in_more_memory";
constexpr absl::string_view kOver = "over_", kBytes = "_bytes";

class Preference : public ir::Capabilities {
 public:
  explicit Preference(const MemoryPreference& memory) : memory_(memory) {}
  bool Runs(std::string_view, ir::DType, int64_t, std::string_view feature) const override {
    absl::string_view limit(feature.data(), feature.size());
    int64_t bytes = 0;
    if (absl::ConsumePrefix(&limit, kOver) && absl::ConsumeSuffix(&limit, kBytes) &&
        absl::SimpleAtoi(limit, &bytes))
      return memory_.binding_bytes > bytes;
    return !memory_.least || feature != kInMoreMemory;
  }

 private:
  MemoryPreference memory_;
};

absl::StatusOr<passes::PassResult> LegalizeAll(ir::Graph& graph, passes::PassContext& context,
                                               const MemoryPreference& memory) {
  std::vector<std::string> refusals;
  const Preference preference(memory);
  if (absl::Status status = Legalize(graph, context, refusals, &preference); !status.ok())
    return status;
  if (absl::Status status = Refused(refusals); !status.ok()) return status;
  passes::PassResult result;
  result.unsure = true;
  return result;
}

}  // namespace

passes::Pipeline VulkanPipeline(const MemoryPreference& memory) {
  return {
      {"vulkan-legalize",
       "expresses operations by others whose kernels are simpler, or that have any",
       passes::Phase::kLegalize,
       passes::Numerics::kExact,
       {passes::kAllParts, passes::kContents},
       [memory](ir::Graph& graph, passes::PassContext& context) {
         return LegalizeAll(graph, context, memory);
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
