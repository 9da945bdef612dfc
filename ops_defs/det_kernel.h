// Determinants by elimination with row pivots, in double.
#ifndef TESSERA_OPS_DEFS_DET_KERNEL_H_
#define TESSERA_OPS_DEFS_DET_KERNEL_H_

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "codegen/support/kernel_io.h"
#include "ir/op_info.h"

namespace tessera::ops {

// Of a row-major n x n matrix, which is destroyed.
inline double Determinant(std::vector<double>& m, int64_t n) {
  const auto at = [&](int64_t r, int64_t c) -> double& {
    return m[static_cast<size_t>(r * n + c)];
  };
  double determinant = 1;
  for (int64_t c = 0; c < n; ++c) {
    int64_t pivot = c;
    for (int64_t r = c + 1; r < n; ++r) {
      if (std::fabs(at(r, c)) > std::fabs(at(pivot, c))) pivot = r;
    }
    if (at(pivot, c) == 0) return 0;
    if (pivot != c) {
      for (int64_t k = c; k < n; ++k) std::swap(at(pivot, k), at(c, k));
      determinant = -determinant;
    }
    determinant *= at(c, c);
    for (int64_t r = c + 1; r < n; ++r) {
      const double factor = at(r, c) / at(c, c);
      for (int64_t k = c; k < n; ++k) at(r, k) -= factor * at(c, k);
    }
  }
  return determinant;
}

template <class Shape>
absl::Status DetKernel(const Shape& s, const ir::KernelArgs& args) {
  kernels::KernelIo io(args);
  const double* x = io.Read<double>(0);
  double* y = io.Write<double>(0);
  if (!io.status().ok()) return io.status();
  const int64_t size = s.N * s.N;
  for (int64_t b = 0; b < kernels::Count(s.B); ++b) {
    std::vector<double> matrix(x + b * size, x + (b + 1) * size);
    y[b] = Determinant(matrix, s.N);
  }
  io.Finish();
  return absl::OkStatus();
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_DET_KERNEL_H_
