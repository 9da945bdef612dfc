#include "kernels/matmul.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "Eigen/Core"
#include "kernels/product.h"

namespace tessera::kernels {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ConstMap = Eigen::Map<const Matrix<T>>;

int64_t Product(const std::vector<int64_t>& list) {
  return std::accumulate(list.begin(), list.end(), int64_t{1}, std::multiplies<>());
}

template <class T>
void Multiply(const MatMulGeometry& g, int64_t rows, const T* a, const T* b, const T* bias, T* y) {
  Eigen::Map<Matrix<T>> result(y, rows, g.columns);
  if (g.inner == 0) {
    result.setZero();
  } else if (g.transpose_a && g.transpose_b) {
    AssignProduct(ConstMap<T>(a, g.inner, rows).transpose(),
                  ConstMap<T>(b, g.columns, g.inner).transpose(), result);
  } else if (g.transpose_a) {
    AssignProduct(ConstMap<T>(a, g.inner, rows).transpose(), ConstMap<T>(b, g.inner, g.columns),
                  result);
  } else if (g.transpose_b) {
    AssignProduct(ConstMap<T>(a, rows, g.inner), ConstMap<T>(b, g.columns, g.inner).transpose(),
                  result);
  } else {
    AssignProduct(ConstMap<T>(a, rows, g.inner), ConstMap<T>(b, g.inner, g.columns), result);
  }
  if (bias != nullptr) {
    result.rowwise() += Eigen::Map<const Eigen::Matrix<T, 1, Eigen::Dynamic>>(bias, g.columns);
  }
}

// Matrices (not elements) to step over per axis of the result's batch; 0 where the operand repeats.
std::vector<int64_t> BatchStrides(const std::vector<int64_t>& operand, size_t rank) {
  std::vector<int64_t> strides(rank, 0);
  int64_t stride = 1;
  for (size_t d = operand.size(); d-- > 0;) {
    strides[rank - operand.size() + d] = operand[d] == 1 ? 0 : stride;
    stride *= operand[d];
  }
  return strides;
}

}  // namespace

template <class T>
void MatMul(const MatMulGeometry& g, const T* a, const T* b, const T* bias, T* y) {
  const int64_t batch = Product(g.batch);
  if (batch == 0 || g.rows == 0 || g.columns == 0) return;
  // One matrix b for all of a: one product with more rows.
  if (Product(g.b_batch) == 1 && !g.transpose_a && Product(g.a_batch) == batch) {
    Multiply(g, batch * g.rows, a, b, bias, y);
    return;
  }
  const std::vector<int64_t> a_strides = BatchStrides(g.a_batch, g.batch.size());
  const std::vector<int64_t> b_strides = BatchStrides(g.b_batch, g.batch.size());
  for (int64_t i = 0; i < batch; ++i, y += g.rows * g.columns) {
    int64_t rest = i, a_matrix = 0, b_matrix = 0;
    for (size_t d = g.batch.size(); d-- > 0; rest /= g.batch[d]) {
      a_matrix += rest % g.batch[d] * a_strides[d];
      b_matrix += rest % g.batch[d] * b_strides[d];
    }
    Multiply(g, g.rows, a + a_matrix * g.rows * g.inner, b + b_matrix * g.inner * g.columns, bias,
             y);
  }
}

template void MatMul(const MatMulGeometry&, const float*, const float*, const float*, float*);
template void MatMul(const MatMulGeometry&, const double*, const double*, const double*, double*);

}  // namespace tessera::kernels
