// Reshapes move behind elementwise operators, where they meet others and cancel: between two 1-D
// convolutions, which are convolutions of images of one row, this leaves none.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_SINK_RESHAPES_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_SINK_RESHAPES_H_

#include "absl/status/statusor.h"
#include "passes/pass.h"

namespace tessera::circle {

// f(reshape(x), k) = reshape(f(x, k)) where f is elementwise and every other operand k is a
// constant of one element; only where the reshape has no other reader. A reshape never moves
// forward, so this ends.
absl::StatusOr<passes::PassResult> SinkReshapes(ir::Graph& graph, passes::PassContext& context);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_SINK_RESHAPES_H_
