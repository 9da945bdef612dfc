#include "passes/compression/sparsity/masks.h"

#include <algorithm>
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

int64_t Kept(const Mask& mask) { return std::count(mask.begin(), mask.end(), true); }

TEST(Masks, LocalKeepsTheLargestOfEach) {
  const std::vector<Matrix> weights = {Random(4, 10, 1), 100 * Random(2, 5, 2)};
  const std::vector<Mask> masks = LocalMasks(weights, 0.3);
  EXPECT_EQ(Kept(masks[0]), 28);
  EXPECT_EQ(Kept(masks[1]), 7);
  for (size_t m = 0; m < 2; ++m) {
    double largest_gone = 0, least_kept = 1e9;
    for (int64_t i = 0; i < weights[m].size(); ++i) {
      const double size = std::abs(weights[m].data()[i]);
      if (masks[m][static_cast<size_t>(i)]) {
        least_kept = std::min(least_kept, size);
      } else {
        largest_gone = std::max(largest_gone, size);
      }
    }
    EXPECT_LE(largest_gone, least_kept);
  }
}

TEST(Masks, GlobalTakesFromWhereTheSmallOnesAre) {
  const std::vector<Matrix> weights = {Random(4, 10, 1), 100 * Random(4, 10, 2)};
  std::vector<Mask> masks = GlobalMasks(weights, 0.5, false);
  EXPECT_LE(Kept(masks[0]), 2);
  EXPECT_GE(Kept(masks[1]), 38);
  // As parts of their norms they are alike.
  masks = GlobalMasks(weights, 0.5, true);
  EXPECT_GT(Kept(masks[0]), 10);
  EXPECT_EQ(Kept(masks[0]) + Kept(masks[1]), 40);
}

TEST(Masks, EqualOnesGoInOrder) {
  const Mask mask = LocalMasks({Matrix::Ones(2, 2)}, 0.5)[0];
  EXPECT_EQ(mask, (Mask{false, false, true, true}));
}

TEST(Masks, OfEveryFourNeighboursTwoStay) {
  const Matrix weights = Random(3, 16, 3);
  const Mask mask = PatternMask(weights, 2, 4, {});
  for (size_t begin = 0; begin < mask.size(); begin += 4)
    EXPECT_EQ(std::count(mask.begin() + static_cast<int64_t>(begin),
                         mask.begin() + static_cast<int64_t>(begin) + 4, true),
              2);
  // Channels of a window of two: 0 2 4 6 and 1 3 5 7 are neighbours.
  Matrix row(1, 8);
  row << 9, 1, 8, 2, 1, 9, 2, 8;
  EXPECT_EQ(PatternMask(row, 2, 4, {2, 0}),
            (Mask{true, false, true, false, false, true, false, true}));
  // A shorter group at the end.
  Matrix five(1, 5);
  five << 1, 2, 3, 4, 5;
  EXPECT_EQ(PatternMask(five, 2, 4, {}), (Mask{false, false, true, true, true}));
  // Of two matrices of three inputs no group has some of each.
  Matrix six(1, 6);
  six << 1, 2, 3, 6, 5, 4;
  EXPECT_EQ(PatternMask(six, 2, 4, {1, 3}), (Mask{false, true, true, true, true, false}));
}

TEST(Masks, RefittingIsLeastSquares) {
  const Matrix wanted = Random(5, 12, 4), x = Random(12, 12, 5) * Random(12, 60, 6);
  const Matrix square = x * x.transpose();
  const Mask mask = LocalMasks({wanted}, 0.5)[0];
  const Matrix fitted = RefittedKept(wanted, square, mask);
  Matrix masked = wanted;
  for (int64_t i = 0; i < masked.size(); ++i) {
    if (!mask[static_cast<size_t>(i)]) masked.data()[i] = 0;
    EXPECT_EQ(fitted.data()[i] == 0, !mask[static_cast<size_t>(i)]);
  }
  const auto loss = [&](const Matrix& w) {
    return ((w - wanted) * square).cwiseProduct(w - wanted).sum();
  };
  EXPECT_LT(loss(fitted), 0.75 * loss(masked));
  // The slope is zero along what stays.
  const Matrix slope = (fitted - wanted) * square;
  for (int64_t i = 0; i < slope.size(); ++i) {
    if (!mask[static_cast<size_t>(i)]) continue;
    EXPECT_LT(std::abs(slope.data()[i]), 1e-2 * slope.norm());
  }
}

}  // namespace
}  // namespace tessera::compression
