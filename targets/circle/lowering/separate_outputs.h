// Every output of the graph a tensor of its own, which an operator yields: the format's readers
// want neither an input, nor a constant, nor one tensor twice among the outputs.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_SEPARATE_OUTPUTS_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_SEPARATE_OUTPUTS_H_

#include "absl/status/statusor.h"
#include "passes/pass.h"

namespace tessera::circle {

// The copies are reshapes to the same shape.
absl::StatusOr<passes::PassResult> SeparateOutputs(ir::Graph& graph, passes::PassContext& context);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_SEPARATE_OUTPUTS_H_
