// Samples to calibrate with: stored ones, or seeded random ones of known ranges.
#ifndef TESSERA_TARGETS_NPU_SAMPLES_H_
#define TESSERA_TARGETS_NPU_SAMPLES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/tensor.h"
#include "targets/npu/artifact/bundle.h"
#include "targets/npu/options.h"

namespace tessera::npu {

// One sample after the other from the folders in one, or, where there is none, random ones within
// the ranges that the scales of all inputs leave the integers.
class Samples {
 public:
  static absl::StatusOr<Samples> Open(const CompileOptions& options,
                                      std::vector<NetworkPort> inputs);
  // The inputs of the next one, in the network's order; false: there is none. Stored sets of other
  // sizes than the network's are passed over.
  absl::StatusOr<bool> Next(std::vector<ir::Tensor>& inputs);
  // From the first one on again.
  void Rewind();
  const std::vector<std::string>& passed_over() const { return passed_over_; }
  bool random() const { return options_.calibration.empty(); }

 private:
  Samples(const CompileOptions& options, std::vector<std::string> sets,
          std::vector<NetworkPort> inputs)
      : options_(options), sets_(std::move(sets)), inputs_(std::move(inputs)) {}
  absl::StatusOr<bool> NextStored(std::vector<ir::Tensor>& inputs);
  absl::StatusOr<bool> NextRandom(std::vector<ir::Tensor>& inputs);

  CompileOptions options_;
  std::vector<std::string> sets_;
  std::vector<NetworkPort> inputs_;
  size_t next_ = 0;
  std::vector<std::string> passed_over_;  // with the reason
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_SAMPLES_H_
