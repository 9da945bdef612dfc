#include "targets/npu/quantization/numbers.h"

#include <algorithm>
#include <cmath>

namespace tessera::npu {
namespace {

constexpr double kMostInt16 = 32767, kMostInt8 = 127, kMostMultiplier = 255;

int32_t Rounded(double value, double most) {
  return static_cast<int32_t>(std::nearbyint(std::clamp(value, -most, most)));
}

// The multiplier for a row. Of one weight alone the one with which it comes nearest.
double MultiplierFor(const double* weights, int64_t count, double scale) {
  double greatest = 0;
  for (int64_t i = 0; i < count; ++i) greatest = std::max(greatest, std::abs(weights[i] * scale));
  const double least = std::clamp(std::ceil(greatest / kMostInt8), 1.0, kMostMultiplier);
  if (count != 1) return least;
  double best = least, error = INFINITY;
  for (double multiplier = least; multiplier <= kMostMultiplier; ++multiplier) {
    const double off = std::abs(std::nearbyint(greatest / multiplier) * multiplier - greatest);
    if (off >= error) continue;
    error = off;
    best = multiplier;
  }
  return best;
}

}  // namespace

Interval NumbersOfType(DataType type) {
  const double most = GreatestOfType(type);
  return {-most - 1, most};
}

double GreatestOfType(DataType type) {
  return type == DataType::kInt8 ? kMostInt8 : type == DataType::kInt16 ? kMostInt16 : 2147483647.0;
}

double Interval::Magnitude() const { return std::max(std::abs(low), std::abs(high)); }

double RealNumbers::BoundFor(const Interval& x) const {
  double bound = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const double bias = biases.empty() ? 0 : biases[static_cast<size_t>(r)];
    double low = std::min(bias, 0.0), high = std::max(bias, 0.0);
    for (int64_t k = 0; k < per_row; ++k) {
      const double w = weights[static_cast<size_t>(r * per_row + k)];
      low += std::min({w * x.low, w * x.high, 0.0});
      high += std::max({w * x.low, w * x.high, 0.0});
    }
    bound = std::max({bound, -low, high});
  }
  return bound;
}

RealNumbers NumbersOf(const NetworkLayer& layer) {
  RealNumbers numbers;
  const ir::Tensor* weights =
      layer.kind == LayerKind::kProduct ? nullptr : layer.op->operand(1)->constant();
  if (weights == nullptr) return numbers;
  numbers.rows = weights->shape()[0];
  numbers.per_row = weights->size() / std::max<int64_t>(numbers.rows, 1);
  for (int64_t i = 0; i < weights->size(); ++i) {
    numbers.weights.push_back(weights->AsDouble(i));
    numbers.greatest_weight = std::max(numbers.greatest_weight, std::abs(numbers.weights.back()));
  }
  const ir::Value* bias = layer.kind == LayerKind::kAccumulate ? nullptr : layer.op->operand(2);
  for (int64_t r = 0; r < numbers.rows; ++r) {
    const bool there = bias != nullptr && bias->constant() != nullptr;
    numbers.biases.push_back(there ? bias->constant()->AsDouble(r) : 0.0);
    numbers.greatest_bias = std::max(numbers.greatest_bias, std::abs(numbers.biases.back()));
  }
  return numbers;
}

double GreatestCode(WeightForm form) {
  return form == WeightForm::kInt16  ? kMostInt16
         : form == WeightForm::kInt8 ? kMostInt8
                                     : kMostInt8 * kMostMultiplier;
}

IntegerNumbers Quantized(const RealNumbers& numbers, WeightForm form, double weight_scale,
                         double sum_scale) {
  IntegerNumbers integers;
  integers.form = form;
  const double most = form == WeightForm::kInt16 ? kMostInt16 : kMostInt8;
  for (int64_t r = 0; r < numbers.rows; ++r) {
    const double* row = numbers.weights.data() + r * numbers.per_row;
    double scale = weight_scale;
    if (form == WeightForm::kCompound) {
      const double multiplier = MultiplierFor(row, numbers.per_row, weight_scale);
      integers.multipliers.push_back(static_cast<int32_t>(multiplier));
      scale /= multiplier;
    }
    for (int64_t k = 0; k < numbers.per_row; ++k)
      integers.weights.push_back(Rounded(row[k] * scale, most));
  }
  for (const double bias : numbers.biases)
    integers.biases.push_back(Rounded(bias * sum_scale, 2147483647.0));
  return integers;
}

Interval SumsOf(const RealNumbers& shape, const IntegerNumbers& numbers, const Interval& x) {
  Interval all;
  for (int64_t r = 0; r < shape.rows; ++r) {
    const auto row = static_cast<size_t>(r);
    const double factor =
        numbers.multipliers.empty() ? 1 : static_cast<double>(numbers.multipliers[row]);
    double low = 0, high = 0;
    for (int64_t k = 0; k < shape.per_row; ++k) {
      const double w = factor * numbers.weights[static_cast<size_t>(r * shape.per_row + k)];
      low += std::min({w * x.low, w * x.high, 0.0});
      high += std::max({w * x.low, w * x.high, 0.0});
    }
    const double bias = numbers.biases.empty() ? 0 : numbers.biases[row];
    all.low = std::min(all.low, low + bias);
    all.high = std::max(all.high, high + bias);
  }
  return all;
}

}  // namespace tessera::npu
