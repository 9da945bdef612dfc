// Arithmetic of quantized values, in floats.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_INTEGERS_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_INTEGERS_H_

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/pass.h"

namespace tessera::npu {

// Whole numbers of up to 24 bits are the same as floats, and sums, products, the greater and the
// lesser of them too: what quantizes is lowered to floats that are whole, and what computes with
// integers until they are floats again computes with these. Which operations keep numbers whole is
// said by their nests. What is truncated, divided or wrapped stays as it is, and is refused later.
absl::StatusOr<passes::PassResult> IntegersAsFloats(ir::Graph& graph, passes::PassContext& context);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_INTEGERS_H_
