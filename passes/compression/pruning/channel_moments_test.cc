#include "passes/compression/pruning/channel_moments.h"

#include "gtest/gtest.h"

namespace tessera::compression {
namespace {

TEST(ChannelMoments, FactorsAndMeansMakeOneTheOther) {
  Matrix exact(4, 2), changed(4, 2);
  exact << 1, 5, 3, 5, 5, 7, 7, 7;
  changed << 2, 0, 1, 0, 0, 4, -1, 4;
  ChannelMoments moments(2);
  moments.Add(exact.topRows(1), changed.topRows(1));
  moments.Add(exact.bottomRows(3), changed.bottomRows(3));
  const Eigen::ArrayXd factors = moments.Factors();
  EXPECT_NEAR(factors(0), 2, 1e-12);
  EXPECT_NEAR(factors(1), 0.5, 1e-12);
  EXPECT_NEAR(moments.ExactMean()(0), 4, 1e-12);
  EXPECT_NEAR(moments.ChangedMean()(0), 0.5, 1e-12);
  EXPECT_NEAR(moments.ExactMean()(1), 6, 1e-12);
}

TEST(ChannelMoments, WhatHardlyVariesIsNotBlownUp) {
  Matrix exact(2, 3), changed(2, 3);
  exact << 0, 4, 3, 2, 4, 5;
  changed << 7, 0, 1, 7, 2, 1.0001;
  ChannelMoments moments(3);
  moments.Add(exact, changed);
  EXPECT_EQ(moments.Factors()(0), 1);  // does not vary by now
  EXPECT_EQ(moments.Factors()(1), 1);  // did not vary
  EXPECT_EQ(moments.Factors()(2), ChannelMoments::kMost);
}

}  // namespace
}  // namespace tessera::compression
