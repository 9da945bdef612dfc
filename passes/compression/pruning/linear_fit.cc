#include "passes/compression/pruning/linear_fit.h"

#include <algorithm>

#include "Eigen/Cholesky"
#include "kernels/product.h"

namespace tessera::compression {
namespace {

using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows of the lower triangle of sums that are made together.
constexpr int64_t kPanel = 512;

void Append(Matrix& matrix, const Matrix& rows) {
  const int64_t before = matrix.rows();
  matrix.conservativeResize(before + rows.rows(), rows.cols());
  matrix.bottomRows(rows.rows()) = rows;
}

}  // namespace

void LinearFit::StartSums() {
  if (HasSums()) return;
  square_ = Matrix::Zero(features_, features_);
  crossed_ = Matrix::Zero(results_, features_);
  if (x_.rows() > 0) Sum(x_, y_);
  x_.resize(0, 0);
  y_.resize(0, 0);
}

// What is fitted comes from floats: products of floats, summed as doubles.
void LinearFit::Sum(const Matrix& x, const Matrix& y) {
  const Floats xs = x.cast<float>(), ys = y.cast<float>();
  for (int64_t row = 0; row < features_; row += kPanel) {
    const int64_t high = std::min(kPanel, features_ - row);
    Floats product(high, row + high);
    kernels::AssignProduct(xs.middleCols(row, high).transpose(), xs.leftCols(row + high), product);
    square_.block(row, 0, high, row + high) += product.cast<double>();
  }
  Floats product(results_, features_);
  kernels::AssignProduct(ys.transpose(), xs, product);
  crossed_ += product.cast<double>();
  energy_ += y.squaredNorm();
}

void LinearFit::Add(const Matrix& x, const Matrix& y) {
  if (!HasSums() && x_.rows() + x.rows() < features_) {
    Append(x_, x);
    Append(y_, y);
    return;
  }
  StartSums();
  Sum(x, y);
}

void LinearFit::Add(const LinearFit& other) {
  if (!other.HasSums()) {
    if (other.x_.rows() > 0) Add(other.x_, other.y_);
    return;
  }
  StartSums();
  square_ += other.square_;
  crossed_ += other.crossed_;
  energy_ += other.energy_;
}

Matrix LinearFit::Fitted(const Matrix& prior, double damping, int64_t damped) const {
  if (!HasSums() && x_.rows() == 0) return prior;
  const double mean = std::max(
      (HasSums() ? square_.diagonal().head(damped).sum() : x_.leftCols(damped).squaredNorm()) /
          static_cast<double>(damped),
      1e-30);
  constexpr double kLeast = 1e-6;
  Eigen::VectorXd penalty = Eigen::VectorXd::Constant(features_, kLeast * mean);
  penalty.head(damped).setConstant(damping * mean);
  if (!HasSums()) {
    // The same minimum: it lies in what the observations span, seen from the prior.
    const Matrix scaled = x_ * penalty.cwiseInverse().asDiagonal();
    Matrix kernel = scaled * x_.transpose();
    kernel.diagonal().array() += 1;
    const Matrix missing = y_ - x_ * prior.transpose();
    return prior + (scaled.transpose() * kernel.llt().solve(missing)).transpose();
  }
  Matrix normal = square_;
  normal.diagonal() += penalty;
  const Matrix wanted = crossed_ + prior * penalty.asDiagonal();
  return normal.llt().solve(wanted.transpose()).transpose();
}

double LinearFit::Error(const Matrix& weights) const {
  if (!HasSums() && x_.rows() == 0) return 0;
  if (!HasSums()) return (y_ - x_ * weights.transpose()).squaredNorm();
  return energy_ - 2 * weights.cwiseProduct(crossed_).sum() +
         (weights * square_.selfadjointView<Eigen::Lower>()).cwiseProduct(weights).sum();
}

}  // namespace tessera::compression
