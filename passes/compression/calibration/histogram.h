// The distribution of one value over any number of samples, in constant memory and one pass: bins
// around 0 whose width doubles when an element lies outside.
#ifndef TESSERA_PASSES_COMPRESSION_CALIBRATION_HISTOGRAM_H_
#define TESSERA_PASSES_COMPRESSION_CALIBRATION_HISTOGRAM_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "ir/tensor.h"

namespace tessera::calibration {

class Histogram {
 public:
  static constexpr int kBins = 8192;  // half of them on either side of 0

  // Elements that are not finite are counted apart.
  void Add(const ir::Tensor& tensor);

  int64_t samples() const { return samples_; }
  int64_t elements() const { return elements_; }
  int64_t not_finite() const { return not_finite_; }
  double least() const { return least_; }
  double most() const { return most_; }
  double mean_least() const { return samples_ == 0 ? 0 : sum_least_ / double(samples_); }
  double mean_most() const { return samples_ == 0 ? 0 : sum_most_ / double(samples_); }
  double width() const { return width_; }
  const std::vector<int64_t>& bins() const { return bins_; }
  double Center(int bin) const { return (bin - kBins / 2 + 0.5) * width_; }
  // What a part `from_below` of the elements is below of, linear within a bin.
  double Quantile(double from_below) const;
  // In a file: all of it as numbers, and back; false where they are not such.
  std::vector<double> ToNumbers() const;
  bool FromNumbers(const std::vector<double>& numbers);

 private:
  void Grow(double magnitude);

  std::vector<int64_t> bins_;  // empty until something is seen
  double width_ = 0;
  int64_t samples_ = 0, elements_ = 0, not_finite_ = 0;
  double least_ = std::numeric_limits<double>::infinity(), most_ = -least_;
  double sum_least_ = 0, sum_most_ = 0;
};

}  // namespace tessera::calibration

#endif  // TESSERA_PASSES_COMPRESSION_CALIBRATION_HISTOGRAM_H_
