// Runs a plan in floats: every stretch on the reference, frame by frame. What the device computes
// in integers should come close to it.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_RUN_PLAN_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_RUN_PLAN_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/tensor.h"
#include "targets/npu/legalization/plan.h"

namespace tessera::npu {

// Inputs and outputs in the order of the network.
absl::StatusOr<std::vector<ir::Tensor>> RunPlan(const Plan& plan,
                                                absl::Span<const ir::Tensor> inputs);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_RUN_PLAN_H_
