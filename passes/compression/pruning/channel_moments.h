// Mean and deviation of each channel of a result, in two networks, and what makes one's the
// other's.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_CHANNEL_MOMENTS_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_CHANNEL_MOMENTS_H_

#include <cstdint>

#include "Eigen/Core"
#include "passes/compression/weights/grouped_rounding.h"

namespace tessera::compression {

class ChannelMoments {
 public:
  explicit ChannelMoments(int64_t channels)
      : exact_(Eigen::ArrayXd::Zero(channels)),
        exact_square_(exact_),
        changed_(exact_),
        changed_square_(exact_) {}

  // A row per observation, a column per channel.
  void Add(const Matrix& exact, const Matrix& changed);

  Eigen::ArrayXd ExactMean() const { return exact_ / count_; }
  Eigen::ArrayXd ChangedMean() const { return changed_ / count_; }
  // By which each channel of the changed network must be multiplied to vary as much as in the exact
  // one. 1 where it does not vary at all, in either, and at most `kMost`: what hardly varies says
  // nothing of what is missing.
  Eigen::ArrayXd Factors() const;

  static constexpr double kMost = 16;

 private:
  Eigen::ArrayXd exact_, exact_square_, changed_, changed_square_;  // sums, and those of squares
  double count_ = 0;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_CHANNEL_MOMENTS_H_
