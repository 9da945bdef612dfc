#include "passes/compression/pruning/channel_moments.h"

#include <algorithm>
#include <cmath>

namespace tessera::compression {
namespace {

// Below this part of the mean square, a variance is what rounding has left of none.
constexpr double kNone = 1e-12;

Eigen::ArrayXd Variance(const Eigen::ArrayXd& sum, const Eigen::ArrayXd& squares, double count) {
  const Eigen::ArrayXd mean = sum / count, square = squares / count;
  const Eigen::ArrayXd variance = square - mean.square();
  return (variance > kNone * square).select(variance, 0.0);
}

}  // namespace

void ChannelMoments::Add(const Matrix& exact, const Matrix& changed) {
  exact_ += exact.colwise().sum().transpose().array();
  exact_square_ += exact.array().square().colwise().sum().transpose();
  changed_ += changed.colwise().sum().transpose().array();
  changed_square_ += changed.array().square().colwise().sum().transpose();
  count_ += static_cast<double>(exact.rows());
}

Eigen::ArrayXd ChannelMoments::Factors() const {
  const Eigen::ArrayXd wanted = Variance(exact_, exact_square_, count_);
  const Eigen::ArrayXd present = Variance(changed_, changed_square_, count_);
  Eigen::ArrayXd factors = Eigen::ArrayXd::Ones(wanted.size());
  for (int64_t c = 0; c < factors.size(); ++c) {
    if (wanted(c) > 0 && present(c) > 0)
      factors(c) = std::min(std::sqrt(wanted(c) / present(c)), kMost);
  }
  return factors;
}

}  // namespace tessera::compression
