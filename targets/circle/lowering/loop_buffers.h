// What loops (ir/loops.h) read and collect position by position, in operators of the format.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_LOOP_BUFFERS_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_LOOP_BUFFERS_H_

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/pass.h"

namespace tessera::circle {

// Entries at a position are gathered. What is collected becomes a state: room for all of it, in
// which each position writes its entry.
absl::StatusOr<passes::PassResult> BufferLoops(ir::Graph& graph, passes::PassContext& context);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_LOOP_BUFFERS_H_
