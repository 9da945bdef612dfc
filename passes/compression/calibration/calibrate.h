// Runs of the reference on samples, seen by any number of observers.
#ifndef TESSERA_PASSES_COMPRESSION_CALIBRATION_CALIBRATE_H_
#define TESSERA_PASSES_COMPRESSION_CALIBRATION_CALIBRATE_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "passes/compression/calibration/sample_source.h"

namespace tessera::calibration {

class Observer {
 public:
  virtual ~Observer() = default;
  // Of each sample the values in the order in which they are computed, of each value the samples in
  // theirs. A few samples are on their way at a time: as many on every machine.
  virtual void See(const ir::Value& value, const ir::Tensor& tensor) = 0;
};

// Nothing is kept of a sample but what observers keep. Errors name the sample: inputs that do not
// fit, a constraint that does not hold; that there are none.
absl::Status Calibrate(const ir::Graph& graph, const SampleSource& samples,
                       absl::Span<Observer* const> observers);

// The outputs of a sample, in the order of the graph's; samples one after the other. Errors as
// above.
using Outputs = absl::FunctionRef<void(size_t sample, std::vector<ir::Tensor> outputs)>;
absl::Status RunSamples(const ir::Graph& graph, const SampleSource& samples, Outputs outputs);

}  // namespace tessera::calibration

#endif  // TESSERA_PASSES_COMPRESSION_CALIBRATION_CALIBRATE_H_
