// From the distribution of a value to the range that its grid covers.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_RANGE_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_RANGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "passes/compression/calibration/histogram.h"
#include "passes/compression/command.h"

namespace tessera::compression {

struct RangeMethod {
  // `lp`: least mean of |error|^power of what is rounded and cut off; above 2 it cuts off less than
  // `mse`, the least squared error, which does better on most inputs and worse on the largest.
  // `min_max`: all that was seen.
  // `mean_min_max`: the mean over samples of each sample's ends. `percentile`: what lies between
  // two quantiles. `kl`: least divergence between the distributions before and after (histogram).
  std::string type = "lp";
  double power = 2.25;
  double low_percentile = 0.1, high_percentile = 99.9;
};

// The grid of `storage` for a value that is distributed so.
Grid ChooseGrid(const calibration::Histogram& histogram, const RangeMethod& method,
                ir::DType storage, bool symmetric);

// Mean of |error|^power of rounding to the grid.
double ExpectedError(const calibration::Histogram& histogram, const Grid& grid, double power = 2);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_RANGE_H_
