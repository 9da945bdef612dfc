#include "passes/compression/quantization/cholesky.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "kernels/product.h"

namespace tessera::compression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXf;
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// What Eigen factorizes and solves; all else are products.
constexpr Index kBlock = 128;
// Of the columns of a triangle whose products are made together.
constexpr Index kPanel = 512;

template <class Left, class Right, class To>
void Subtract(const Left& a, const Right& b, To&& from) {
  Matrix product(a.rows(), b.cols());
  kernels::AssignProduct(a, b, product);
  from -= product;
}

}  // namespace

bool Factorize(Matrix& matrix) {
  const Index n = matrix.rows();
  for (Index begin = 0; begin < n; begin += kBlock) {
    const Index size = std::min(kBlock, n - begin), rest = n - begin - size;
    auto corner = matrix.block(begin, begin, size, size);
    const Eigen::LLT<Matrix> factor(corner);
    if (factor.info() != Eigen::Success) return false;
    corner.triangularView<Eigen::Lower>() = factor.matrixL();
    if (rest == 0) break;
    auto below = matrix.block(begin + size, begin, rest, size);
    corner.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
    for (Index column = 0; column < rest; column += kPanel) {
      const Index wide = std::min(kPanel, rest - column);
      Subtract(below.bottomRows(rest - column), below.middleRows(column, wide).transpose(),
               matrix.block(begin + size + column, begin + size + column, rest - column, wide));
    }
  }
  return matrix.diagonal().allFinite();
}

void SolveFactorized(const Matrix& factor, Matrix& b) {
  const Index n = factor.rows();
  for (Index begin = 0; begin < n; begin += kBlock) {
    const Index size = std::min(kBlock, n - begin);
    auto here = b.middleRows(begin, size);
    if (begin > 0) Subtract(factor.block(begin, 0, size, begin), b.topRows(begin), here);
    factor.block(begin, begin, size, size).triangularView<Eigen::Lower>().solveInPlace(here);
  }
  for (Index end = n; end > 0;) {
    const Index begin = (end - 1) / kBlock * kBlock, size = end - begin, rest = n - end;
    auto here = b.middleRows(begin, size);
    if (rest > 0)
      Subtract(factor.block(end, begin, rest, size).transpose(), b.bottomRows(rest), here);
    factor.block(begin, begin, size, size)
        .triangularView<Eigen::Lower>()
        .transpose()
        .solveInPlace(here);
    end = begin;
  }
}

void AddMoments(const Eigen::Ref<const Rows>& a, Rows& lower) {
  for (Index row = 0; row < a.cols(); row += kPanel) {
    const Index high = std::min(kPanel, a.cols() - row);
    Rows product(high, row + high);
    kernels::AssignProduct(a.middleCols(row, high).transpose(), a.leftCols(row + high), product);
    lower.block(row, 0, high, row + high) += product;
  }
}

}  // namespace tessera::compression
