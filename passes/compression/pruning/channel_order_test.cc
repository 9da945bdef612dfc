#include "passes/compression/pruning/channel_order.h"

#include <random>

#include "gtest/gtest.h"

namespace tessera::compression {
namespace {

Matrix Random(int64_t rows, int64_t columns, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix matrix(rows, columns);
  for (int64_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = normal(random);
  return matrix;
}

ChannelReader Reader(const Matrix& x, const Matrix& w) {
  return {x.transpose() * x, w.transpose() * w};
}

TEST(OrderChannels, WhatOthersExplainGoesFirst) {
  Matrix x = Random(200, 6, 1);
  x.col(4) = x.col(0) + 0.5 * x.col(2);  // any of the three may go
  const Matrix w = Random(3, 6, 2);
  const std::vector<double> worth = {1, 1, 1, 1, 9, 1};
  const int64_t first = OrderChannels({Reader(x, w)}, worth)[0];
  EXPECT_TRUE(first == 0 || first == 2 || first == 4) << first;
}

TEST(OrderChannels, WhatNothingIsMadeOfGoesFirst) {
  const Matrix x = Random(200, 5, 3);
  Matrix w = Random(3, 5, 4);
  w.col(1) *= 1e-3;
  EXPECT_EQ(OrderChannels({Reader(x, w)}, {1, 9, 1, 1, 1})[0], 1);
  // Another reader makes something of it, and nothing of channel 3.
  Matrix other = Random(3, 5, 5);
  w.col(3) *= 1e-3;
  other.col(3) *= 1e-3;
  EXPECT_EQ(OrderChannels({Reader(x, w), Reader(x, other)}, {1, 9, 1, 1, 1})[0], 3);
}

TEST(OrderChannels, EachReaderCountsAsAPartOfItsEnergy) {
  const Matrix x = Random(200, 2, 6);
  Matrix large = Matrix::Zero(1, 2), small = Matrix::Zero(1, 2);
  large << 1000, 400;
  small << 0.1, 1;
  EXPECT_EQ(OrderChannels({Reader(x, large), Reader(x, small)}, {1, 1}),
            (std::vector<int64_t>{0, 1}));
}

TEST(OrderChannels, WithoutReadersByWorth) {
  EXPECT_EQ(OrderChannels({}, {3, 1, 2}), (std::vector<int64_t>{1, 2, 0}));
}

}  // namespace
}  // namespace tessera::compression
