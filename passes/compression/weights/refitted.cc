#include "passes/compression/weights/refitted.h"

#include "Eigen/Cholesky"

namespace tessera::compression {

Matrix Refitted(const Matrix& weight, const Matrix& inputs, const Matrix& crossed) {
  const double mean = inputs.diagonal().mean();
  const double damping = mean > 0 ? kInputsDamping * mean : 1;
  Matrix damped = inputs;
  damped.diagonal().array() += damping;
  const Matrix wanted = weight * crossed + damping * weight;  // [rows, K]
  return damped.llt().solve(wanted.transpose()).transpose();
}

Mask NotZero(const Matrix& weights) {
  Mask mask(static_cast<size_t>(weights.size()));
  for (int64_t i = 0; i < weights.size(); ++i)
    mask[static_cast<size_t>(i)] = weights.data()[i] != 0;
  return mask;
}

Matrix RefittedKept(const Matrix& wanted, const Matrix& square, const Mask& mask) {
  // Coordinate by coordinate; each step lowers the error.
  constexpr int kSweeps = 50;
  constexpr double kEnough = 1e-6;
  Matrix fitted = wanted;
  const int64_t inputs = wanted.cols();
  const double damping = 1e-6 * square.diagonal().mean();
  Matrix damped = square;
  damped.diagonal().array() += damping;
  for (int64_t r = 0; r < wanted.rows(); ++r) {
    Eigen::VectorXd off = Eigen::VectorXd::Zero(inputs);
    std::vector<int64_t> kept;
    for (int64_t k = 0; k < inputs; ++k) {
      if (mask[static_cast<size_t>(r * inputs + k)]) {
        kept.push_back(k);
      } else {
        off[k] = -wanted(r, k);
      }
    }
    Eigen::VectorXd slope = damped * off;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      double before = 0, moved = 0;
      for (const int64_t k : kept) {
        if (!(damped(k, k) > 0)) continue;
        const double step = -slope[k] / damped(k, k);
        off[k] += step;
        slope += step * damped.row(k).transpose();
        moved += step * step;
        before += off[k] * off[k];
      }
      if (moved <= kEnough * before) break;
    }
    fitted.row(r) += off.transpose();
    for (int64_t k = 0; k < inputs; ++k) {
      if (!mask[static_cast<size_t>(r * inputs + k)]) fitted(r, k) = 0;
    }
  }
  return fitted;
}

}  // namespace tessera::compression
