// Some of many samples.
#ifndef TESSERA_PASSES_COMPRESSION_CALIBRATION_SPREAD_SAMPLES_H_
#define TESSERA_PASSES_COMPRESSION_CALIBRATION_SPREAD_SAMPLES_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/tensor.h"
#include "passes/compression/calibration/sample_source.h"

namespace tessera::calibration {

// At most so many of another source's, at equal distances from the first on: what lies side by side
// in a folder is often alike. 0: all. The other one must outlive it.
class SpreadSamples : public SampleSource {
 public:
  SpreadSamples(const SampleSource& all, size_t most)
      : all_(all), size_(most == 0 ? all.size() : std::min(most, all.size())) {}
  size_t size() const override { return size_; }
  absl::StatusOr<std::vector<ir::Tensor>> Load(size_t index) const override {
    return all_.Load(Of(index));
  }
  std::string NameOf(size_t index) const override { return all_.NameOf(Of(index)); }

 private:
  size_t Of(size_t index) const { return index * all_.size() / size_; }

  const SampleSource& all_;
  size_t size_;
};

}  // namespace tessera::calibration

#endif  // TESSERA_PASSES_COMPRESSION_CALIBRATION_SPREAD_SAMPLES_H_
