// Samples of a network's inputs.
#ifndef TESSERA_PASSES_COMPRESSION_CALIBRATION_SAMPLE_SOURCE_H_
#define TESSERA_PASSES_COMPRESSION_CALIBRATION_SAMPLE_SOURCE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/tensor.h"

namespace tessera::calibration {

class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual size_t size() const = 0;
  // The inputs in the order of the graph's, read when asked for; the same each time. May be called
  // from several threads.
  virtual absl::StatusOr<std::vector<ir::Tensor>> Load(size_t index) const = 0;
  // For diagnostics: the file or folder.
  virtual std::string NameOf(size_t index) const = 0;
};

}  // namespace tessera::calibration

#endif  // TESSERA_PASSES_COMPRESSION_CALIBRATION_SAMPLE_SOURCE_H_
