// Resize, one axis after the other: every mode is a product of one-dimensional samplings.
// Coordinates and weights follow the ONNX operator description (Resize-19).
#ifndef TESSERA_OPS_DEFS_RESIZE_KERNEL_H_
#define TESSERA_OPS_DEFS_RESIZE_KERNEL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "codegen/support/kernel_io.h"
#include "ir/op_info.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

// In the order of the definition's enums.
enum class ResizeMode { kNearest, kLinear, kCubic };
enum class ResizeCoordinates {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kTfHalfPixelForNn,
  kTfCropAndResize,
};
enum class ResizeRounding { kPreferFloor, kPreferCeil, kFloor, kCeil };

struct ResizeAxis {
  int64_t from, to;  // sizes
  double scale;      // 0: to / from
  double crop_begin, crop_end;
};

// Where in x result position o lies.
inline double ResizeSource(const ResizeAxis& axis, ResizeCoordinates coordinates, int64_t o) {
  const double n = static_cast<double>(axis.from), m = static_cast<double>(axis.to);
  const double position = static_cast<double>(o);
  // Not divided by the quotient of sizes, which is rounded: what is whole stays whole.
  const auto in_source = [&](double p) { return axis.scale > 0 ? p / axis.scale : p * n / m; };
  // With a fractional factor the result's length before rounding counts.
  const double length = axis.scale > 0 ? axis.scale * n : m;
  switch (coordinates) {
    case ResizeCoordinates::kHalfPixel:
      return in_source(position + 0.5) - 0.5;
    case ResizeCoordinates::kHalfPixelSymmetric:
      return (n - in_source(m)) / 2 + in_source(position + 0.5) - 0.5;
    case ResizeCoordinates::kPytorchHalfPixel:
      return axis.to > 1 ? in_source(position + 0.5) - 0.5 : 0;
    case ResizeCoordinates::kAlignCorners:
      return length == 1 ? 0 : position * (n - 1) / (length - 1);
    case ResizeCoordinates::kAsymmetric:
      return in_source(position);
    case ResizeCoordinates::kTfHalfPixelForNn:
      return in_source(position + 0.5);
    case ResizeCoordinates::kTfCropAndResize:
      return axis.to > 1 ? axis.crop_begin * (n - 1) +
                               position * (axis.crop_end - axis.crop_begin) * (n - 1) / (m - 1)
                         : 0.5 * (axis.crop_begin + axis.crop_end) * (n - 1);
  }
  return position;
}

inline int64_t ResizeNearest(double x, ResizeRounding rounding, int64_t size) {
  double nearest = 0;
  switch (rounding) {
    case ResizeRounding::kPreferFloor:
      nearest = std::ceil(x - 0.5);
      break;
    case ResizeRounding::kPreferCeil:
      nearest = std::floor(x + 0.5);
      break;
    case ResizeRounding::kFloor:
      nearest = std::floor(x);
      break;
    case ResizeRounding::kCeil:
      nearest = std::ceil(x);
      break;
  }
  return std::clamp<int64_t>(static_cast<int64_t>(nearest), 0, size - 1);
}

using ResizeWeights = std::vector<std::pair<int64_t, double>>;  // position in x, weight

// Beyond the ends x repeats its edge, or, with `exclude`, nothing counts there.
inline ResizeWeights ResizeNeighbours(double x, bool cubic, double a, bool exclude, int64_t size) {
  const double base = std::floor(x), t = x - base, u = 1 - t;
  ResizeWeights weights;
  const auto add = [&](int offset, double weight) {
    const int64_t at = static_cast<int64_t>(base) + offset;
    if (exclude && (at < 0 || at >= size)) return;
    weights.emplace_back(std::clamp<int64_t>(at, 0, size - 1), weight);
  };
  if (cubic) {
    const auto near = [a](double v) { return ((a + 2) * v - (a + 3)) * v * v + 1; };
    const auto far = [a](double v) { return ((a * v - 5 * a) * v + 8 * a) * v - 4 * a; };
    add(-1, far(t + 1));
    add(0, near(t));
    add(1, near(u));
    add(2, far(u + 1));
  } else {
    add(0, u);
    add(1, t);
  }
  if (exclude) {
    double total = 0;
    for (const auto& [at, weight] : weights) total += weight;
    for (auto& [at, weight] : weights) weight = total == 0 ? 0 : weight / total;
  }
  return weights;
}

// Resamples axis `axis` of x [dims], giving `taps.size()` positions along it.
inline std::vector<double> ResizeAlong(const std::vector<double>& x,
                                       const std::vector<int64_t>& dims, int64_t axis,
                                       const std::vector<ResizeWeights>& taps) {
  const AroundAxis around(dims, axis);
  const int64_t size = static_cast<int64_t>(taps.size());
  std::vector<double> y(static_cast<size_t>(around.outer * size * around.inner), 0.0);
  for (int64_t outer = 0; outer < around.outer; ++outer) {
    for (int64_t o = 0; o < size; ++o) {
      double* to = y.data() + (outer * size + o) * around.inner;
      for (const auto& [at, weight] : taps[static_cast<size_t>(o)]) {
        const double* from = x.data() + (outer * around.size + at) * around.inner;
        for (int64_t i = 0; i < around.inner; ++i) to[i] += weight * from[i];
      }
    }
  }
  return y;
}

template <class Shape>
absl::Status ResizeKernel(const Shape& s, const ir::KernelArgs& args) {
  const auto mode = static_cast<ResizeMode>(s.mode);
  const auto coordinates = static_cast<ResizeCoordinates>(s.coordinates);
  const auto rounding = static_cast<ResizeRounding>(s.nearest_mode);
  const size_t rank = s.X.size();
  std::vector<std::vector<double>> source(rank);
  for (size_t d = 0; d < rank; ++d) {
    const ResizeAxis axis{s.X[d], s.Y[d], s.scales[d], s.crop_begin[d], s.crop_end[d]};
    for (int64_t o = 0; o < s.Y[d]; ++o) source[d].push_back(ResizeSource(axis, coordinates, o));
  }
  return InComputeType(s.T, [&]<class T>() {
    kernels::KernelIo io(args);
    const T* x = io.template Read<T>(0);
    T* y = io.template Write<T>(0);
    if (!io.status().ok()) return io.status();
    if (mode == ResizeMode::kNearest) {
      const std::vector<int64_t> strides = kernels::Strides(s.X);
      std::vector<std::vector<int64_t>> offsets(rank);
      for (size_t d = 0; d < rank; ++d) {
        for (double at : source[d]) {
          offsets[d].push_back(ResizeNearest(at, rounding, s.X[d]) * strides[d]);
        }
      }
      for (kernels::Odometer at(s.Y); !at.done(); at.Next()) {
        int64_t offset = 0;
        for (size_t d = 0; d < rank; ++d) offset += offsets[d][static_cast<size_t>(at[d])];
        y[at.linear()] = x[offset];
      }
    } else {
      std::vector<double> samples(x, x + kernels::Count(s.X));
      std::vector<int64_t> dims = s.X;
      for (size_t d = 0; d < rank; ++d) {
        bool same = s.X[d] == s.Y[d];
        for (size_t o = 0; same && o < source[d].size(); ++o) {
          same = source[d][o] == static_cast<double>(o);
        }
        if (same) continue;
        std::vector<ResizeWeights> taps;
        for (double at : source[d]) {
          taps.push_back(ResizeNeighbours(at, mode == ResizeMode::kCubic, s.cubic_coeff_a,
                                          s.exclude_outside, s.X[d]));
        }
        samples = ResizeAlong(samples, dims, static_cast<int64_t>(d), taps);
        dims[d] = s.Y[d];
      }
      for (size_t i = 0; i < samples.size(); ++i) y[i] = kernels::Cast<T>(samples[i]);
    }
    if (coordinates == ResizeCoordinates::kTfCropAndResize) {
      const auto outside = [&](size_t d, int64_t o) {
        const double at = source[d][static_cast<size_t>(o)];
        return at < 0 || at > static_cast<double>(s.X[d] - 1);
      };
      for (kernels::Odometer at(s.Y); !at.done(); at.Next()) {
        for (size_t d = 0; d < rank; ++d) {
          if (outside(d, at[d])) y[at.linear()] = kernels::Cast<T>(s.extrapolation_value);
        }
      }
    }
    io.Finish();
    return absl::OkStatus();
  });
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_RESIZE_KERNEL_H_
