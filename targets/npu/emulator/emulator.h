// Runs a model of the device, bit by bit as the device does, with the kernels of the definitions of
// its operations (targets/npu/ops).
#ifndef TESSERA_TARGETS_NPU_EMULATOR_EMULATOR_H_
#define TESSERA_TARGETS_NPU_EMULATOR_EMULATOR_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/tensor.h"
#include "targets/npu/device/device.h"
#include "targets/npu/model/model.h"

namespace tessera::npu {

struct Execution {
  std::vector<ir::Tensor> outputs;   // one per operation, of the type and shape of its output
  std::vector<int64_t> saturations;  // one per operation: how often it clamped something
};

struct RunOptions {
  bool use_fast = true;  // false: by the `ref`s of the definitions alone
};

struct OperationResult {
  ir::Tensor output;
  int64_t saturations = 0;
};
// One operation that the device admits, all of whose operands but the output have data. Errors:
// operands with less data than their shapes say; Internal where a definition contradicts the check.
absl::StatusOr<OperationResult> RunOperation(const Operation& operation, const Device& device,
                                             const RunOptions& options = {});

// Errors: what `CheckModel` finds; operands without data, or with less than their shapes say;
// Internal where a definition contradicts the check.
absl::StatusOr<Execution> RunModel(const Model& model, const Device& device,
                                   const RunOptions& options = {});

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_EMULATOR_EMULATOR_H_
