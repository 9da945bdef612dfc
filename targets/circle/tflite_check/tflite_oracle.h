// What a TFLite runtime that is not ours computes. For tests.
#ifndef TESSERA_TARGETS_CIRCLE_TFLITE_CHECK_TFLITE_ORACLE_H_
#define TESSERA_TARGETS_CIRCLE_TFLITE_CHECK_TFLITE_ORACLE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/tensor.h"

namespace tessera::circle {

enum class TfliteKernels {
  kReference,  // plain loops
  kOptimized,
};

// Runs the TFLite file `model` (see ToTflite) in a process of its own, single-threaded. One tensor
// for each of the model's inputs, in their order; dynamic dims take their sizes. Errors: what the
// runtime prints when it refuses the model or the inputs.
absl::StatusOr<std::vector<ir::Tensor>> RunTflite(
    const std::string& model, const std::vector<ir::Tensor>& inputs,
    TfliteKernels kernels = TfliteKernels::kOptimized);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_TFLITE_CHECK_TFLITE_ORACLE_H_
