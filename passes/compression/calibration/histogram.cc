#include "passes/compression/calibration/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tessera::calibration {
namespace {

constexpr int kHalf = Histogram::kBins / 2;

}  // namespace

void Histogram::Grow(double magnitude) {
  if (bins_.empty()) bins_.assign(kBins, 0);
  if (width_ == 0) {
    // A power of two, so that bins merge exactly.
    width_ = std::ldexp(1.0, std::ilogb(std::max(magnitude, 1e-30)) + 1) / kHalf;
    return;
  }
  while (magnitude >= width_ * kHalf) {
    std::vector<int64_t> merged(kBins, 0);
    for (int i = 0; i < kBins; ++i) {
      const int offset = i - kHalf;
      merged[static_cast<size_t>(kHalf + (offset >= 0 ? offset / 2 : -((1 - offset) / 2)))] +=
          bins_[static_cast<size_t>(i)];
    }
    bins_ = std::move(merged);
    width_ *= 2;
  }
}

void Histogram::Add(const ir::Tensor& tensor) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  const int64_t size = tensor.size();
  const float* floats = tensor.dtype() == ir::DType::kF32 ? tensor.data<float>() : nullptr;
  const auto element = [&](int64_t i) {
    return floats != nullptr ? static_cast<double>(floats[i]) : tensor.AsDouble(i);
  };
  for (int64_t i = 0; i < size; ++i) {
    const double value = element(i);
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (least > most) {
    not_finite_ += size;
    return;
  }
  Grow(std::max(std::fabs(least), std::fabs(most)));
  const double inverse = 1 / width_;
  for (int64_t i = 0; i < size; ++i) {
    const double value = element(i);
    if (!std::isfinite(value)) {
      ++not_finite_;
      continue;
    }
    const int bin = static_cast<int>(std::floor(value * inverse)) + kHalf;
    ++bins_[static_cast<size_t>(std::clamp(bin, 0, kBins - 1))];
    ++elements_;
  }
  ++samples_;
  least_ = std::min(least_, least);
  most_ = std::max(most_, most);
  sum_least_ += least;
  sum_most_ += most;
}

double Histogram::Quantile(double from_below) const {
  if (elements_ == 0) return 0;
  const double wanted = from_below * static_cast<double>(elements_);
  double below = 0;
  for (int i = 0; i < kBins; ++i) {
    const auto here = static_cast<double>(bins_[static_cast<size_t>(i)]);
    if (here > 0 && below + here >= wanted) {
      const double value = (i - kHalf + (wanted - below) / here) * width_;
      return std::clamp(value, least_, most_);
    }
    below += here;
  }
  return most_;
}

std::vector<double> Histogram::ToNumbers() const {
  std::vector<double> numbers = {width_,
                                 static_cast<double>(samples_),
                                 static_cast<double>(elements_),
                                 static_cast<double>(not_finite_),
                                 least_,
                                 most_,
                                 sum_least_,
                                 sum_most_};
  // Pairs of an index and a count: most bins are empty.
  for (size_t i = 0; i < bins_.size(); ++i) {
    if (bins_[i] == 0) continue;
    numbers.push_back(static_cast<double>(i));
    numbers.push_back(static_cast<double>(bins_[i]));
  }
  return numbers;
}

bool Histogram::FromNumbers(const std::vector<double>& numbers) {
  if (numbers.size() < 8 || numbers.size() % 2 != 0) return false;
  for (const double number : numbers) {
    if (!std::isfinite(number)) return false;
  }
  width_ = numbers[0];
  samples_ = static_cast<int64_t>(numbers[1]);
  elements_ = static_cast<int64_t>(numbers[2]);
  not_finite_ = static_cast<int64_t>(numbers[3]);
  least_ = numbers[4];
  most_ = numbers[5];
  sum_least_ = numbers[6];
  sum_most_ = numbers[7];
  bins_.assign(kBins, 0);
  int64_t counted = 0;
  for (size_t i = 8; i < numbers.size(); i += 2) {
    if (numbers[i] < 0 || numbers[i] >= kBins || numbers[i + 1] < 0) return false;
    bins_[static_cast<size_t>(numbers[i])] = static_cast<int64_t>(numbers[i + 1]);
    counted += static_cast<int64_t>(numbers[i + 1]);
  }
  return width_ > 0 && samples_ > 0 && counted == elements_ && least_ <= most_;
}

}  // namespace tessera::calibration
