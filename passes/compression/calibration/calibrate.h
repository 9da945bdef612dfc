// One run of the reference per sample, seen by any number of observers.
#ifndef TESSERA_PASSES_COMPRESSION_CALIBRATION_CALIBRATE_H_
#define TESSERA_PASSES_COMPRESSION_CALIBRATION_CALIBRATE_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "passes/compression/calibration/sample_source.h"

namespace tessera::calibration {

class Observer {
 public:
  virtual ~Observer() = default;
  // Samples one after the other, in each the values in the order in which they are computed.
  virtual void See(const ir::Value& value, const ir::Tensor& tensor) = 0;
};

// Nothing is kept of a sample but what observers keep. Errors name the sample: inputs that do not
// fit, a constraint that does not hold; that there are none.
absl::Status Calibrate(const ir::Graph& graph, const SampleSource& samples,
                       absl::Span<Observer* const> observers);

}  // namespace tessera::calibration

#endif  // TESSERA_PASSES_COMPRESSION_CALIBRATION_CALIBRATE_H_
