// RoiAlign after the ONNX operator description (RoiAlign-16; He et al., Mask R-CNN, 2017).
#ifndef TESSERA_OPS_DEFS_ROI_ALIGN_KERNEL_H_
#define TESSERA_OPS_DEFS_ROI_ALIGN_KERNEL_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/status/status.h"
#include "codegen/support/kernel_io.h"
#include "ir/op_info.h"

namespace tessera::ops {

// The four pixels around a point and the weights of their mean; none beyond one pixel outside.
struct RoiSample {
  RoiSample(double row, double column, int64_t height, int64_t width) {
    if (!(row >= -1 && row <= static_cast<double>(height))) return;
    if (!(column >= -1 && column <= static_cast<double>(width))) return;
    const Side down(row, height), across(column, width);
    const int64_t rows[] = {down.low, down.high}, columns[] = {across.low, across.high};
    for (int i = 0; i < 4; ++i) {
      at[i] = rows[i / 2] * width + columns[i % 2];
      weight[i] = (i / 2 == 0 ? 1 - down.t : down.t) * (i % 2 == 0 ? 1 - across.t : across.t);
    }
  }
  struct Side {
    Side(double v, int64_t size) {
      v = std::max(v, 0.0);
      low = std::min(static_cast<int64_t>(v), size - 1);
      high = std::min(low + 1, size - 1);
      t = low == size - 1 ? 0 : v - static_cast<double>(low);
    }
    int64_t low, high;
    double t;
  };
  int64_t at[4] = {};
  double weight[4] = {};
};

template <class Shape>
absl::Status RoiAlignKernel(const Shape& s, const ir::KernelArgs& args) {
  constexpr double kMaxSamples = 4096;  // of one bin along one axis: regions are data
  kernels::KernelIo io(args);
  const double* x = io.Read<double>(0);
  const double* rois = io.Read<double>(1);
  const int64_t* batch = io.Read<int64_t>(2);
  double* y = io.Write<double>(0);
  if (!io.status().ok()) return io.status();
  const double offset = s.half_pixel ? 0.5 : 0;
  for (int64_t r = 0; r < s.R; ++r) {
    if (batch[r] < 0 || batch[r] >= s.N) return kernels::IndexOutOfRange(batch[r], s.N);
    const double* roi = rois + r * 4;
    const double left = roi[0] * s.scale - offset, top = roi[1] * s.scale - offset;
    double across = roi[2] * s.scale - offset - left, down = roi[3] * s.scale - offset - top;
    if (!s.half_pixel) {  // regions of less than a pixel are widened
      across = std::max(across, 1.0);
      down = std::max(down, 1.0);
    }
    const double bin_height = down / static_cast<double>(s.height);
    const double bin_width = across / static_cast<double>(s.width);
    const auto samples = [&](double bin) {
      if (s.samples > 0) return s.samples;
      return static_cast<int64_t>(std::ceil(bin > 0 ? std::min(bin, kMaxSamples) : 0.0));
    };
    const int64_t rows = samples(bin_height), columns = samples(bin_width);
    const double count = static_cast<double>(std::max<int64_t>(rows * columns, 1));
    for (int64_t bin = 0; bin < s.height * s.width; ++bin) {
      const double bin_top = top + static_cast<double>(bin / s.width) * bin_height;
      const double bin_left = left + static_cast<double>(bin % s.width) * bin_width;
      for (int64_t c = 0; c < s.C; ++c) {
        const double* plane = x + (batch[r] * s.C + c) * s.H * s.W;
        double sum = 0, most = 0;
        for (int64_t i = 0; i < rows * columns; ++i) {
          const double row = static_cast<double>(i / columns) + 0.5;
          const double column = static_cast<double>(i % columns) + 0.5;
          const RoiSample sample(bin_top + row * bin_height / static_cast<double>(rows),
                                 bin_left + column * bin_width / static_cast<double>(columns), s.H,
                                 s.W);
          for (int k = 0; k < 4; ++k) {
            const double part = sample.weight[k] * plane[sample.at[k]];
            sum += part;
            most = i == 0 && k == 0 ? part : std::max(most, part);
          }
        }
        y[(r * s.C + c) * s.height * s.width + bin] = s.mode == 0 ? sum / count : most;
      }
    }
  }
  io.Finish();
  return absl::OkStatus();
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_ROI_ALIGN_KERNEL_H_
