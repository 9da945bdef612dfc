// Batched matrix products through Eigen, for float and double.
#ifndef TESSERA_KERNELS_MATMUL_H_
#define TESSERA_KERNELS_MATMUL_H_

#include <cstdint>
#include <vector>

namespace tessera::kernels {

// y[batch..., rows, columns] = a[batch..., rows, inner] b[batch..., inner, columns] (+
// bias[columns]); batch axes of a and b are aligned right and broadcast.
struct MatMulGeometry {
  std::vector<int64_t> batch;             // of y
  std::vector<int64_t> a_batch, b_batch;  // each at most as long as `batch`
  int64_t rows = 1, inner = 1, columns = 1;
  bool transpose_a = false;  // a is stored [..., inner, rows]
  bool transpose_b = false;  // b is stored [..., columns, inner]
};

template <class T>
void MatMul(const MatMulGeometry& geometry, const T* a, const T* b, const T* bias, T* y);

}  // namespace tessera::kernels

#endif  // TESSERA_KERNELS_MATMUL_H_
