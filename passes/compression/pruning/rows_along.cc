#include "passes/compression/pruning/rows_along.h"

#include <algorithm>

#include "passes/compression/quantization/rounding.h"

namespace tessera::compression {

Matrix RowsAlong(const ir::Tensor& tensor, int64_t axis, int64_t most) {
  const Along along = Along::Axis(tensor.shape(), axis);
  const int64_t all = along.outer * along.inner, rows = std::min(all, most);
  Matrix matrix(rows, along.n);
  const float* data = tensor.data<float>();
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t at = r * all / rows;
    const float* from = data + at / along.inner * along.n * along.inner + at % along.inner;
    for (int64_t k = 0; k < along.n; ++k) matrix(r, k) = from[k * along.inner];
  }
  return matrix;
}

}  // namespace tessera::compression
