// From a network to what the device and the host run of it.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_LEGALIZE_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_LEGALIZE_H_

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "targets/npu/device/device.h"
#include "targets/npu/legalization/plan.h"
#include "targets/npu/legalization/translation.h"

namespace tessera::npu {

// Makes the layers known to the registry; once is enough, more does no harm.
void RegisterLayers();

// From core operations, canonicalized, to layers of any size, channels last, with transposes at the
// ends where they can be. What has no lowering stays as it is.
passes::Pipeline LegalizationPipeline();

// Of a graph that the pipeline left, of which a frame (Options::stream) or all runs at once. Errors
// of frames: frames.h, stream.h. Error (Unimplemented): all that neither the device runs nor,
// unless `options` let it, the host; of what exceeds a limit the place, the size and the limit's
// id.
absl::StatusOr<Plan> Legalize(ir::Graph& network, const Device& device, const Options& options);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_LEGALIZE_H_
