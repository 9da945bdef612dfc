#include "passes/compression/pruning/linear_fit.h"

#include <algorithm>

#include "Eigen/Cholesky"

namespace tessera::compression {

void LinearFit::Add(const Matrix& x, const Matrix& y) {
  square_.noalias() += x.transpose() * x;
  crossed_.noalias() += y.transpose() * x;
  energy_ += y.squaredNorm();
}

void LinearFit::Add(const LinearFit& other) {
  square_ += other.square_;
  crossed_ += other.crossed_;
  energy_ += other.energy_;
}

Matrix LinearFit::Fitted(const Matrix& prior, double damping, int64_t damped) const {
  // Of nothing at all, what was before.
  const double mean = std::max(square_.diagonal().head(damped).mean(), 1e-30);
  constexpr double kLeast = 1e-6;
  Eigen::VectorXd penalty = Eigen::VectorXd::Constant(square_.rows(), kLeast * mean);
  penalty.head(damped).setConstant(damping * mean);
  Matrix normal = square_;
  normal.diagonal() += penalty;
  const Matrix wanted = crossed_ + prior * penalty.asDiagonal();
  return normal.llt().solve(wanted.transpose()).transpose();
}

double LinearFit::Error(const Matrix& weights) const {
  return energy_ - 2 * weights.cwiseProduct(crossed_).sum() +
         (weights * square_).cwiseProduct(weights).sum();
}

}  // namespace tessera::compression
