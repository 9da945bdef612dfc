// Runs a program on the emulator: bit by bit what the device computes, in memory of its own.
#ifndef TESSERA_TARGETS_NPU_PROGRAM_RUNNER_H_
#define TESSERA_TARGETS_NPU_PROGRAM_RUNNER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/tensor.h"
#include "targets/npu/model/model.h"
#include "targets/npu/program/program.h"

namespace tessera::npu {

// How often something had to be clamped, since the runner was made.
struct Saturations {
  std::vector<int64_t> operations;  // by operation
  int64_t inputs = 0;               // numbers that are beyond what their type holds
};

class Runner {
 public:
  // Error: what CheckProgram finds.
  static absl::StatusOr<Runner> Create(Program program);

  // Floats in the order of the inputs, of their shapes (as many elements are enough); those of the
  // outputs. States stay as the run leaves them. Errors: InvalidArgument for inputs that do not
  // fit; Internal where a definition contradicts the check.
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs);
  // States are again as at the beginning.
  void Reset();

  const Program& program() const { return program_; }
  const Saturations& saturations() const { return saturations_; }

 private:
  using Memory = std::vector<uint8_t>;

  explicit Runner(Program program);
  absl::Status Step(size_t index);
  uint8_t* At(const Address& address) {
    return memory_[static_cast<size_t>(address.region)]->data() + address.offset;
  }

  Program program_;
  const Device* device_ = nullptr;
  Model model_;
  std::array<std::shared_ptr<Memory>, kRegionCount> memory_;
  Saturations saturations_;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PROGRAM_RUNNER_H_
