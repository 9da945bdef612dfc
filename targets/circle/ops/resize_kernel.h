// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR. Which element is nearest is computed in float, as
// runtimes of the format do, and may be the other one of two; weights, which differ by an ulp of
// the position at most, in double.
#ifndef TESSERA_TARGETS_CIRCLE_OPS_RESIZE_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_RESIZE_KERNEL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ir/op_info.h"

namespace tessera::ops {

namespace resize_internal {

// Elements of the input per element of the result.
template <class Real>
Real Scale(int64_t input, int64_t output, bool align_corners) {
  return align_corners && output > 1 ? static_cast<Real>(input - 1) / static_cast<Real>(output - 1)
                                     : static_cast<Real>(input) / static_cast<Real>(output);
}

struct Sample {
  int64_t low, high;
  float weight;  // of `high`
};

inline std::vector<Sample> LinearSamples(int64_t input, int64_t output, bool align_corners,
                                         bool half_pixel) {
  const double scale = Scale<double>(input, output, align_corners);
  std::vector<Sample> samples(static_cast<size_t>(output));
  for (int64_t o = 0; o < output; ++o) {
    const double at =
        half_pixel ? (static_cast<double>(o) + 0.5) * scale - 0.5 : static_cast<double>(o) * scale;
    const int64_t low = std::clamp<int64_t>(static_cast<int64_t>(std::floor(at)), 0, input - 1);
    const int64_t high = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(at)), 0, input - 1);
    samples[static_cast<size_t>(o)] = {low, high,
                                       static_cast<float>(at - static_cast<double>(low))};
  }
  return samples;
}

inline std::vector<int64_t> NearestSamples(int64_t input, int64_t output, bool align_corners,
                                           bool half_pixel) {
  const float scale = Scale<float>(input, output, align_corners);
  std::vector<int64_t> samples(static_cast<size_t>(output));
  for (int64_t o = 0; o < output; ++o) {
    const float at = (static_cast<float>(o) + (half_pixel ? 0.5f : 0.0f)) * scale;
    const int64_t nearest = static_cast<int64_t>(align_corners ? std::round(at) : std::floor(at));
    samples[static_cast<size_t>(o)] = std::clamp<int64_t>(nearest, 0, input - 1);
  }
  return samples;
}

}  // namespace resize_internal

template <class Shape>
bool CircleResizeBilinearFast(const Shape& s, const ir::KernelArgs& args) {
  const auto rows = resize_internal::LinearSamples(s.H, s.P, s.align_corners, s.half_pixel_centers);
  const auto columns =
      resize_internal::LinearSamples(s.W, s.Q, s.align_corners, s.half_pixel_centers);
  const float* x = args.inputs[0]->data<float>();
  float* y = args.outputs[0].mutable_data<float>();
  for (int64_t n = 0; n < s.N; ++n) {
    const float* image = x + n * s.H * s.W * s.C;
    for (const auto& row : rows) {
      for (const auto& column : columns) {
        const float* a = image + (row.low * s.W + column.low) * s.C;
        const float* b = image + (row.low * s.W + column.high) * s.C;
        const float* c = image + (row.high * s.W + column.low) * s.C;
        const float* d = image + (row.high * s.W + column.high) * s.C;
        for (int64_t i = 0; i < s.C; ++i) {
          *y++ = (a[i] * (1 - row.weight) + c[i] * row.weight) * (1 - column.weight) +
                 (b[i] * (1 - row.weight) + d[i] * row.weight) * column.weight;
        }
      }
    }
  }
  return true;
}

template <class Shape>
bool CircleResizeNearestNeighborFast(const Shape& s, const ir::KernelArgs& args) {
  const auto rows =
      resize_internal::NearestSamples(s.H, s.P, s.align_corners, s.half_pixel_centers);
  const auto columns =
      resize_internal::NearestSamples(s.W, s.Q, s.align_corners, s.half_pixel_centers);
  const size_t pixel = static_cast<size_t>(s.C) * ir::SizeOf(s.T);
  uint8_t* y = args.outputs[0].template mutable_data<uint8_t>();
  for (int64_t n = 0; n < s.N; ++n) {
    const uint8_t* image =
        args.inputs[0]->bytes().data() + static_cast<size_t>(n * s.H * s.W) * pixel;
    for (int64_t row : rows) {
      for (int64_t column : columns) {
        std::memcpy(y, image + static_cast<size_t>(row * s.W + column) * pixel, pixel);
        y += pixel;
      }
    }
  }
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_RESIZE_KERNEL_H_
