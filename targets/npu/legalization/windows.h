// Windows over images that the device does not pool by itself, as steps that it has.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_WINDOWS_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_WINDOWS_H_

#include "absl/status/status.h"
#include "ir/graph.h"
#include "targets/npu/device/device.h"
#include "targets/npu/legalization/limits.h"

namespace tessera::npu {

// The greatest of a window, where the device has no pooling of that size or the window hangs over
// the image, is that of its entries one after the other, rows behind columns: filters with a single
// 1 choose an entry, and max(x, y) is y + relu(x - y). The mean of windows that hang over the image
// is a filter, whose results are scaled by how much of the window there is. Means of so many
// channels that nearly all weights would be zeros are means of rows of means of columns; that alone
// with `host_fallback`.
absl::Status ExpandWindows(ir::Graph& graph, const Device& device, const Widths& widths,
                           bool host_fallback = false);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_WINDOWS_H_
