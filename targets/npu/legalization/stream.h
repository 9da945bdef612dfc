// Networks over time without an end, as what runs for a frame of some entries: what an operation
// needs of earlier frames is kept from frame to frame.
//
// The entries of a value come late: entry t of the stream is entry t - delay of the network's
// value, and the first ones are none. Windows over time keep the entries before a frame; zeros
// before the first entry are the state that there is in the beginning. Where zeros lie behind the
// last entry, or before the first of entries that come late, what is multiplied by a gate stands
// for them, which is 0 there and 1 elsewhere. Loops go through the entries of a frame one by one.
// So the entries of k frames are those of one long input, bit for bit.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_STREAM_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_STREAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "targets/npu/legalization/plan.h"

namespace tessera::npu {

struct Stream {
  std::unique_ptr<ir::Graph> graph;  // of one frame; all sizes are known
  std::vector<FrameAxis> inputs, outputs;
  std::vector<FrameGate> gates;  // by inputs of the graph
  std::vector<State> states;     // by inputs and outputs of the graph, in their shapes
};

// Of a graph of layers of any size. `symbol` is the size of an axis of inputs, `frame` how many
// entries of it come at once. Errors: InvalidArgument where no input has such an axis, or a frame
// does not come out even; Unimplemented: every operation that would need entries to come, or is not
// known to treat entries alike, with the reason.
absl::StatusOr<Stream> StreamOf(const ir::Graph& graph, const std::string& symbol, int64_t frame);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_STREAM_H_
