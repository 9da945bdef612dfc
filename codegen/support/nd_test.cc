#include "codegen/support/nd.h"

#include <vector>

#include "gtest/gtest.h"

namespace tessera::kernels {
namespace {

using List = std::vector<int64_t>;

TEST(Nd, StridesAreRowMajor) {
  EXPECT_EQ(Strides(List{2, 3, 4}), List({12, 4, 1}));
  EXPECT_EQ(Strides(List{}), List());
  EXPECT_EQ(Product({}), 1);
  EXPECT_EQ(Count(List{2, 0, 3}), 0);
}

TEST(Nd, BroadcastStridesRepeatUnitAxes) {
  EXPECT_EQ(BroadcastStrides(List{3, 1}, List{2, 3, 4}), List({0, 1, 0}));
  EXPECT_EQ(BroadcastStrides(List{2, 1, 4}, List{2, 3, 4}), List({4, 0, 1}));
  EXPECT_EQ(BroadcastStrides(List{}, List{5}), List({0}));
}

TEST(Nd, OdometerVisitsAllInOrder) {
  const List dims = {2, 1, 3}, strides = Strides(dims);
  int64_t visited = 0;
  for (Odometer at(dims); !at.done(); at.Next()) {
    EXPECT_EQ(at.linear(), visited);
    EXPECT_EQ(Offset(at.index().data(), strides.data(), dims.size()), visited);
    EXPECT_EQ(at[0] * 3 + at[2], visited);
    ++visited;
  }
  EXPECT_EQ(visited, 6);
  EXPECT_TRUE(Odometer(List{2, 0}).done());
  int64_t points = 0;
  for (Odometer at(List{}); !at.done(); at.Next()) ++points;
  EXPECT_EQ(points, 1);
}

TEST(Nd, NextWrapsToTheOrigin) {
  const List dims = {2, 2};
  List index = {1, 1};
  EXPECT_FALSE(Next(index.data(), dims.data(), 2));
  EXPECT_EQ(index, List({0, 0}));
  EXPECT_TRUE(Next(index.data(), dims.data(), 2));
  EXPECT_EQ(index, List({0, 1}));
}

}  // namespace
}  // namespace tessera::kernels
