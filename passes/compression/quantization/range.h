// From the distribution of a value to the range that its grid covers.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_RANGE_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_RANGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "passes/compression/calibration/histogram.h"
#include "passes/compression/command.h"

namespace tessera::compression {

struct RangeMethod {
  // `mse`: least squared error of what is rounded and cut off. `min_max`: all that was seen.
  // `mean_min_max`: the mean over samples of each sample's ends. `percentile`: what lies between
  // two quantiles. `kl`: least divergence between the distributions before and after (histogram).
  std::string type = "mse";
  double low_percentile = 0.1, high_percentile = 99.9;
};

// The grid of `storage` for a value that is distributed so.
Grid ChooseGrid(const calibration::Histogram& histogram, const RangeMethod& method,
                ir::DType storage, bool symmetric);

// Mean squared error of rounding to the grid.
double ExpectedError(const calibration::Histogram& histogram, const Grid& grid);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_RANGE_H_
