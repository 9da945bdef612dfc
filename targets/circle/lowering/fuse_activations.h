// Activations become part of the operators before them.
//
// An operator takes an activation if it has an attribute `fused_activation_function` that is NONE
// and has a value of the activation's name; the result must have no other reader.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_FUSE_ACTIVATIONS_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_FUSE_ACTIVATIONS_H_

#include "absl/status/statusor.h"
#include "passes/pass.h"

namespace tessera::circle {

absl::StatusOr<passes::PassResult> FuseActivations(ir::Graph& graph, passes::PassContext& context);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_FUSE_ACTIVATIONS_H_
