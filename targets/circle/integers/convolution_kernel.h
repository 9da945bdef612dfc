// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED of integers, through products of
// matrices of doubles: sums of products of integers below 2^53 are exact in them.
#ifndef TESSERA_TARGETS_CIRCLE_INTEGERS_CONVOLUTION_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_INTEGERS_CONVOLUTION_KERNEL_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ir/op_info.h"
#include "kernels/conv.h"
#include "kernels/conv_transpose.h"
#include "kernels/matmul.h"
#include "targets/circle/integers/requantize.h"

namespace tessera::ops {
namespace circle_integers {

inline const ir::Tensor* Given(const ir::KernelArgs& args, size_t operand) {
  return operand < args.inputs.size() ? args.inputs[operand] : nullptr;
}

// Elements less their zero point; none of an operand that is not there.
inline std::vector<double> Doubles(const ir::Tensor* tensor, int64_t zero_point) {
  std::vector<double> values;
  if (tensor == nullptr) return values;
  const size_t count = static_cast<size_t>(tensor->size());
  const auto read = [&](const auto* data) {
    values.resize(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = static_cast<double>(static_cast<int64_t>(data[i]) - zero_point);
  };
  switch (tensor->dtype()) {
    case ir::DType::kI8:
      read(tensor->data<int8_t>());
      break;
    case ir::DType::kI16:
      read(tensor->data<int16_t>());
      break;
    case ir::DType::kI32:
      read(tensor->data<int32_t>());
      break;
    case ir::DType::kI64:
      read(tensor->data<int64_t>());
      break;
    default:
      break;
  }
  return values;
}

// Whether sums that begin with them are those of integers.
inline bool AreExact(const std::vector<double>& values) {
  constexpr double kMost = double{int64_t{1} << 52};
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::abs(value) < kMost; });
}

enum class Rounding : uint8_t { kByWidth, kOnce };

// The result of sums that lie with their channels last, each channel at its own factor.
template <class Shape>
void StoreScaled(const Shape& s, const std::vector<double>& factors,
                 const std::vector<double>& sums, Rounding rounding, ir::Tensor& output) {
  const std::vector<Multiplier> multipliers(factors.begin(), factors.end());
  const auto store = [&](auto* y) {
    const StoredRange range =
        StoredRange::Of(*y, s.fused_activation_function, s.output_scale, s.output_zero_point);
    for (size_t i = 0; i < sums.size();) {
      for (const Multiplier& multiplier : multipliers) {
        const int64_t sum = static_cast<int64_t>(sums[i]);
        const int64_t scaled = rounding == Rounding::kOnce ? multiplier.ScaleOnce(sum)
                               : sizeof *y == 2            ? multiplier.Scale64(sum)
                                                           : multiplier.Scale32(sum);
        y[i++] = static_cast<std::decay_t<decltype(*y)>>(range.Clamp(scaled + s.output_zero_point));
      }
    }
  };
  if (output.size() == 0) return;
  if (output.dtype() == ir::DType::kI16) {
    store(output.mutable_data<int16_t>());
  } else {
    store(output.mutable_data<int8_t>());
  }
}

// Of each channel, where every filter has a scale.
template <class Shape>
std::vector<double> FactorsOf(const Shape& s, const ir::Tensor& scales) {
  std::vector<double> factors;
  for (int64_t m = 0; m < scales.size(); ++m)
    factors.push_back(s.input_scale * double{scales.data<float>()[m]} / s.output_scale);
  return factors;
}

template <class Geometry, class Shape>
Geometry ImageGeometry(const Shape& s, std::vector<int64_t> dilations) {
  Geometry geometry{.batch = s.N, .channels = s.C, .filters = s.M, .window = {}};
  geometry.window = {.input = {s.H, s.W},
                     .kernel = {s.KH, s.KW},
                     .output = {s.P, s.Q},
                     .strides = {s.stride_h, s.stride_w},
                     .dilations = std::move(dilations),
                     .pads_begin = {s.top, s.left}};
  return geometry;
}

inline const double* DataOf(const std::vector<double>& values) {
  return values.empty() ? nullptr : values.data();
}

// `sum`(x, filters, bias, y), then the result; false where the text is to say it. Operands: of x,
// the filters, the bias, their scales.
template <class Shape, class Sum>
bool Scaled(const Shape& s, const ir::KernelArgs& args, size_t x, size_t filters, size_t bias,
            size_t scales, Sum sum, Rounding rounding = Rounding::kByWidth) {
  const std::vector<double> inputs = Doubles(Given(args, x), s.input_zero_point);
  const std::vector<double> weights = Doubles(Given(args, filters), 0);
  const std::vector<double> biases = Doubles(Given(args, bias), 0);
  const std::vector<double> factors = FactorsOf(s, *args.inputs[scales]);
  if (!std::all_of(factors.begin(), factors.end(), Multiplier::Takes) || !AreExact(biases))
    return false;
  std::vector<double> sums(static_cast<size_t>(args.outputs[0].size()));
  sum(inputs.data(), weights.data(), DataOf(biases), sums.data());
  StoreScaled(s, factors, sums, rounding, args.outputs[0]);
  return true;
}

}  // namespace circle_integers

template <class Shape>
bool CircleIntegerConv2DFast(const Shape& s, const ir::KernelArgs& args) {
  const auto geometry = circle_integers::ImageGeometry<kernels::ConvGeometry>(
      s, {s.dilation_h_factor, s.dilation_w_factor});
  return circle_integers::Scaled(s, args, 0, 1, 2, 3,
                                 [&](const double* x, const double* w, const double* b, double* y) {
                                   kernels::ConvChannelsLast(geometry, x, w, b, y);
                                 });
}

template <class Shape>
bool CircleIntegerDepthwiseConv2DFast(const Shape& s, const ir::KernelArgs& args) {
  auto geometry = circle_integers::ImageGeometry<kernels::ConvGeometry>(
      s, {s.dilation_h_factor, s.dilation_w_factor});
  geometry.groups = s.C;
  return circle_integers::Scaled(s, args, 0, 1, 2, 3,
                                 [&](const double* x, const double* w, const double* b, double* y) {
                                   kernels::DepthwiseConvChannelsLast(geometry, x, w, b, y);
                                 });
}

template <class Shape>
bool CircleIntegerTransposeConvFast(const Shape& s, const ir::KernelArgs& args) {
  const auto geometry = circle_integers::ImageGeometry<kernels::ConvTransposeGeometry>(s, {1, 1});
  return circle_integers::Scaled(s, args, 2, 1, 3, 4,
                                 [&](const double* x, const double* w, const double* b, double* y) {
                                   kernels::ConvTransposeChannelsLast(geometry, x, w, b, y);
                                 });
}

template <class Shape>
bool CircleIntegerFullyConnectedFast(const Shape& s, const ir::KernelArgs& args) {
  // One scale for all is multiplied in f32, which the text says.
  if (s.M == 1) return false;
  kernels::MatMulGeometry geometry;
  geometry.inner = s.K;
  geometry.columns = s.M;
  geometry.transpose_b = true;
  for (int64_t d = 0; d + 1 < s.R; ++d) geometry.rows *= s.D[static_cast<size_t>(d)];
  return circle_integers::Scaled(
      s, args, 0, 1, 2, 3,
      [&](const double* x, const double* w, const double* b, double* y) {
        kernels::MatMul(geometry, x, w, b, y);
      },
      circle_integers::Rounding::kOnce);
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_INTEGERS_CONVOLUTION_KERNEL_H_
