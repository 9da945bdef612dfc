// GridSample after the ONNX operator description (GridSample-16): bilinear, nearest and bicubic
// (a = -0.75) interpolation; points outside read 0, the nearest border, or a reflection.
#ifndef TESSERA_OPS_DEFS_GRID_SAMPLE_KERNEL_H_
#define TESSERA_OPS_DEFS_GRID_SAMPLE_KERNEL_H_

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

// One axis of `size` pixels; padding in the order zeros, border, reflection.
struct GridAxis {
  int64_t size;
  int64_t padding;
  bool align_corners;

  double Denormalized(double v) const {
    const double n = static_cast<double>(size);
    return align_corners ? (v + 1) / 2 * (n - 1) : ((v + 1) * n - 1) / 2;
  }
  // Back into [low, high], as light between two mirrors.
  static double Reflected(double v, double low, double high) {
    const double range = high - low;
    if (range <= 0) return low;
    const double phase = std::fmod(std::fabs(v - low), 2 * range);
    return low + (phase <= range ? phase : 2 * range - phase);
  }
  // Where a coordinate reads; a point, before its neighbours are taken.
  double Padded(double v) const {
    const double last = static_cast<double>(size - 1);
    if (padding == 1) return std::clamp(v, 0.0, last);
    if (padding == 2) {
      return std::clamp(Reflected(v, align_corners ? 0 : -0.5, align_corners ? last : last + 0.5),
                        0.0, last);
    }
    return v;
  }
  // The pixel at an integer coordinate; -1: it reads 0.
  int64_t Pixel(double v) const {
    const double at = Padded(v);
    return at < 0 || at > static_cast<double>(size - 1) ? -1 : static_cast<int64_t>(at);
  }
  // Pixels and weights around `v`; mode in the order bilinear, nearest, bicubic.
  std::vector<std::pair<int64_t, double>> Taps(double v, int64_t mode) const {
    constexpr double a = -0.75;
    std::vector<std::pair<int64_t, double>> taps;
    if (!std::isfinite(v)) return taps;
    if (mode == 1) return {{Pixel(std::nearbyint(v)), 1.0}};
    if (mode == 0) v = Padded(v);
    const double base = std::floor(v), t = v - base, u = 1 - t;
    if (mode == 0) return {{Pixel(base), u}, {Pixel(base + 1), t}};
    const auto near = [](double w) { return ((a + 2) * w - (a + 3)) * w * w + 1; };
    const auto far = [](double w) { return ((a * w - 5 * a) * w + 8 * a) * w - 4 * a; };
    return {{Pixel(base - 1), far(t + 1)},
            {Pixel(base), near(t)},
            {Pixel(base + 1), near(u)},
            {Pixel(base + 2), far(u + 1)}};
  }
};

template <class Shape>
absl::Status GridSampleKernel(const Shape& s, const ir::KernelArgs& args) {
  return InComputeType(s.T, [&]<class T>() {
    kernels::KernelIo io(args);
    const T* x = io.template Read<T>(0);
    const double* grid = io.template Read<double>(1);
    T* y = io.template Write<T>(0);
    if (!io.status().ok()) return io.status();
    const GridAxis rows{s.H, s.padding, s.align_corners}, columns{s.W, s.padding, s.align_corners};
    const int64_t points = s.P * s.Q;
    for (int64_t n = 0; n < s.N; ++n) {
      for (int64_t point = 0; point < points; ++point) {
        const double* at = grid + (n * points + point) * 2;
        const auto across = columns.Taps(columns.Denormalized(at[0]), s.mode);
        const auto down = rows.Taps(rows.Denormalized(at[1]), s.mode);
        for (int64_t c = 0; c < s.C; ++c) {
          const T* plane = x + (n * s.C + c) * s.H * s.W;
          double value = 0;
          for (const auto& [row, row_weight] : down) {
            for (const auto& [column, column_weight] : across) {
              if (row < 0 || column < 0) continue;
              value += row_weight * column_weight * static_cast<double>(plane[row * s.W + column]);
            }
          }
          y[(n * s.C + c) * points + point] = kernels::Cast<T>(value);
        }
      }
    }
    io.Finish();
    return absl::OkStatus();
  });
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_GRID_SAMPLE_KERNEL_H_
