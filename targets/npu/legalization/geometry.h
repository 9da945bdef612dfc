// What a convolution of one image is, and ways to do it on a device.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_GEOMETRY_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_GEOMETRY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "targets/npu/legalization/translation.h"

namespace tessera::npu {

// Filters [filters, kernel..., channels / groups] over one image, rows first.
struct Translation::Geometry {
  const ir::Value* x = nullptr;
  int64_t images = 1, height = 1, width = 1, channels = 1;
  int64_t rows = 1, columns = 1, filters = 1;  // of the result
  std::vector<int64_t> kernel = {1, 1}, stride = {1, 1}, dilation = {1, 1}, before = {0, 0};
  int64_t groups = 1;
  bool read = false;  // by other layers than those that follow at once
  Numbers w, bias;

  int64_t span(size_t d) const { return (kernel[d] - 1) * dilation[d] + 1; }
  int64_t share() const { return channels / groups; }
  float At(int64_t f, int64_t r, int64_t s, int64_t c) const {
    return w[static_cast<size_t>(((f * kernel[0] + r) * kernel[1] + s) * share() + c)];
  }
  // The first channel that a filter reads.
  int64_t From(int64_t f) const { return f / (filters / groups) * share(); }
  int64_t count() const { return rows * columns * filters; }
};

struct Translation::Way {
  std::string reason;  // why it is none; empty: it is one
  int64_t work = 0;    // multiply-adds
  std::function<absl::StatusOr<StoredPtr>()> build;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_GEOMETRY_H_
