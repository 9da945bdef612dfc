// Plans executed in floats, by the layers' definitions.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_RUN_PLAN_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_RUN_PLAN_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/tensor.h"
#include "targets/npu/artifact/bundle.h"
#include "targets/npu/execution/frames.h"
#include "targets/npu/legalization/plan.h"
#include "targets/reference/executor.h"

namespace tessera::npu {

// The plan must live as long as this.
class PlanRunner {
 public:
  // `inputs` are some that it will run with: the sizes that do not come in frames.
  static absl::StatusOr<PlanRunner> Create(const Plan& plan, absl::Span<const ir::Tensor> inputs);

  // In the order of the plan's inputs and outputs; it goes on where the last run ended.
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs);
  // The same, with nothing to follow; without inputs: what is still to come.
  absl::StatusOr<std::vector<ir::Tensor>> RunLast(absl::Span<const ir::Tensor> inputs);

 private:
  explicit PlanRunner(const Plan& plan) : plan_(&plan) {}
  absl::Status Frame(NamedValues& values);

  const Plan* plan_;
  Bundle bundle_;  // what there is to know of frames
  std::vector<reference::Executor> executors_;
  NamedValues states_;
  StreamPosition position_;
};

// One run from the beginning.
absl::StatusOr<std::vector<ir::Tensor>> RunPlan(const Plan& plan,
                                                absl::Span<const ir::Tensor> inputs);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_RUN_PLAN_H_
