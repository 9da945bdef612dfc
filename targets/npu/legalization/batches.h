// The device filters one image at a time.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_BATCHES_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_BATCHES_H_

#include "absl/status/status.h"
#include "ir/graph.h"

namespace tessera::npu {

// Filters and windows of a known number of images, up to 64, become one for each of them, joined.
absl::Status SplitBatches(ir::Graph& graph);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_BATCHES_H_
