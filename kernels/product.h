// Matrix products whose sums are rounded once.
#ifndef TESSERA_KERNELS_PRODUCT_H_
#define TESSERA_KERNELS_PRODUCT_H_

#include <algorithm>
#include <type_traits>

#include "Eigen/Core"

namespace tessera::kernels {

// result = a b. Floats are multiplied and summed as doubles, in panels that stay in the cache: two
// orders of summation (that of the axes of a network, that of a target's) then round to the same
// floats but for one in some million, and what is discontinuous behind them, a quantization, sees
// no difference.
template <class Left, class Right, class Result>
void AssignProduct(const Left& a, const Right& b, Result&& result) {
  using Scalar = typename Left::Scalar;
  if constexpr (!std::is_same_v<Scalar, float>) {
    result.noalias() = a * b;
  } else {
    using Panel = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    constexpr Eigen::Index kRows = 256, kInner = 256, kColumns = 1024;
    Panel left, right, sums;
    for (Eigen::Index column = 0; column < b.cols(); column += kColumns) {
      const Eigen::Index columns = std::min(kColumns, b.cols() - column);
      for (Eigen::Index row = 0; row < a.rows(); row += kRows) {
        const Eigen::Index rows = std::min(kRows, a.rows() - row);
        sums.setZero(rows, columns);
        for (Eigen::Index k = 0; k < a.cols(); k += kInner) {
          const Eigen::Index inner = std::min(kInner, a.cols() - k);
          left = a.block(row, k, rows, inner).template cast<double>();
          right = b.block(k, column, inner, columns).template cast<double>();
          sums.noalias() += left * right;
        }
        result.block(row, column, rows, columns) = sums.template cast<float>();
      }
    }
  }
}

}  // namespace tessera::kernels

#endif  // TESSERA_KERNELS_PRODUCT_H_
