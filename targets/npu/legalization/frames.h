// Networks whose inputs have an axis without a size: a batch, or time. The device runs one entry of
// it after the other.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_FRAMES_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_FRAMES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "targets/npu/legalization/plan.h"

namespace tessera::npu {

struct Frames {
  std::string symbol;  // empty: all sizes are known
  std::vector<FrameAxis> inputs, outputs;
};

// Error (Unimplemented): several symbols, or operations, all of them, that are not seen to treat
// each entry for itself, states apart.
absl::StatusOr<Frames> FramesOf(const ir::Graph& graph);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_FRAMES_H_
