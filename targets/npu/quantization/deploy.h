// From stages of floats to the bundle that an artifact holds: runs the stages over samples of the
// network's inputs, then turns those for the device into programs.
#ifndef TESSERA_TARGETS_NPU_QUANTIZATION_DEPLOY_H_
#define TESSERA_TARGETS_NPU_QUANTIZATION_DEPLOY_H_

#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "targets/npu/artifact/bundle.h"
#include "targets/npu/quantization/quantize.h"

namespace tessera::npu {

// Of floats; inputs and outputs have the names of the values that cross.
struct FloatStage {
  ir::Graph* graph = nullptr;
  bool on_device = false;
};

// The inputs of one sample, in the network's order; false: there are no more.
using SampleSource = absl::FunctionRef<absl::StatusOr<bool>(std::vector<ir::Tensor>& inputs)>;

// `bundle` has its ports, frames and, as `host_states`, all states; stages are filled in, and
// states that one stage on the device both reads and yields become its own. `options.states` are
// not looked at. States begin anew with every sample. Where Quantize adds to `misfits` the bundle
// is of no use. `endless` gets the network's outputs that the device yields and that are not finite
// in a sample. Errors: no sample, what running one finds, and what Quantize finds, each with the
// number of the stage.
absl::Status Deploy(const std::vector<FloatStage>& stages, SampleSource samples,
                    const QuantizeOptions& options, Bundle& bundle, std::vector<Misfit>& misfits,
                    std::set<std::string>& endless);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_QUANTIZATION_DEPLOY_H_
