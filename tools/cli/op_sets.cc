#include "tools/cli/op_sets.h"

#include "ir/refusals.h"
#include "ir/registry.h"
#include "passes/compression/traits/traits.h"

// Defined by generated code.
namespace tessera::ops {
const ir::Dialect& CoreOps();
absl::Span<const ir::Refusal> CoreRefusals();
absl::Span<const ir::QuantizeTrait> CoreTraits();
}  // namespace tessera::ops

namespace tessera::cli {

void LinkOps() {
  ir::Registry::Global().Add(ops::CoreOps());
  ir::AddRefusals(ops::CoreRefusals());
  compression::AddTraits(ops::CoreTraits());
}

}  // namespace tessera::cli
