#include "passes/compression/weights/grouped_rounding.h"

#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "passes/compression/weights/refitted.h"

namespace tessera::compression {
namespace {

// The sum of four uniform numbers, as the other side computed it too.
Matrix Weights(int64_t rows, int64_t inputs) {
  uint64_t state = 1;
  Matrix weights(rows, inputs);
  for (int64_t i = 0; i < weights.size(); ++i) {
    double sum = 0;
    for (int j = 0; j < 4; ++j) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      sum += static_cast<double>(state >> 40) / (1 << 24) - 0.5;
    }
    weights.data()[i] = static_cast<float>(sum);
  }
  return weights;
}

// x x^T of inputs that go together, as those of real layers do.
Matrix Inputs(int64_t size) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Matrix mix(size, size), x(size, 4 * size);
  for (int64_t i = 0; i < mix.size(); ++i) mix.data()[i] = normal(random) * (i % 5 == 0 ? 3 : 0.3);
  for (int64_t i = 0; i < x.size(); ++i) x.data()[i] = normal(random);
  const Matrix seen = mix * x;
  return seen * seen.transpose();
}

double Error(const Matrix& weights, const GroupedCodes& codes, const GroupedScheme& scheme) {
  return (NumbersOf(codes, scheme) - weights).squaredNorm();
}

struct Peer {
  int bits;
  bool symmetric;
  int64_t group;
  double error;  // of NNCF 3.4.0 (do_integer_quantization) on the same weights
};

TEST(GroupedRounding, LeavesLessErrorThanNncf) {
  const Matrix weights = Weights(16, 128);
  EXPECT_NEAR(weights.squaredNorm(), 671.9285064728505, 1e-6);  // the same weights
  for (const Peer& peer :
       {Peer{8, false, 128, 0.0211141}, Peer{8, true, 128, 0.0245099}, Peer{4, false, 32, 4.18176},
        Peer{4, true, 32, 4.52213}, Peer{4, false, 128, 6.14985}}) {
    const GroupedScheme scheme{peer.bits, peer.symmetric, peer.group};
    const GroupedCodes codes = RoundGrouped(weights, scheme);
    const double error = Error(weights, codes, scheme);
    EXPECT_LT(error, peer.error) << peer.bits << " " << peer.symmetric << " " << peer.group;
    EXPECT_NEAR(error, codes.error, 1e-3 * error);
  }
}

TEST(GroupedRounding, CodesAreOfTheScheme) {
  const Matrix weights = Weights(4, 40);
  for (const int bits : {2, 4, 8}) {
    for (const bool symmetric : {false, true}) {
      const GroupedScheme scheme{bits, symmetric, 16};  // the last group is shorter
      const GroupedCodes codes = RoundGrouped(weights, Inputs(40), scheme);
      const CodeRange range = CodeRange::Of(scheme);
      EXPECT_EQ(codes.groups, 3);
      ASSERT_EQ(codes.codes.size(), 160u);
      ASSERT_EQ(codes.scales.size(), 12u);
      for (const int code : codes.codes) EXPECT_TRUE(code >= range.low && code <= range.high);
      for (const int point : codes.zero_points)
        EXPECT_TRUE(symmetric ? point == 0 : point >= range.low && point <= range.high);
      for (const float scale : codes.scales) EXPECT_TRUE(IsScale(scale));
    }
  }
}

TEST(GroupedRounding, WeightsOnAGridAreMet) {
  Matrix weights(2, 32);
  for (int64_t i = 0; i < weights.size(); ++i)
    weights.data()[i] = 0.0625 * static_cast<double>(i * 7 % 13 - 5);
  for (const bool with_data : {false, true}) {
    const GroupedScheme scheme{4, false, 32};
    const GroupedCodes codes =
        with_data ? RoundGrouped(weights, Inputs(32), scheme) : RoundGrouped(weights, scheme);
    EXPECT_LT(Error(weights, codes, scheme), 1e-10) << with_data;
  }
}

TEST(GroupedRounding, LevelsTakeThePlaceOfIntegers) {
  const std::vector<double> levels = {-6, -3, -1, 0, 0.5, 1, 2, 4};
  for (const bool binary : {false, true}) {
    GroupedScheme scheme{4, true, 16};
    scheme.levels = &levels;
    scheme.binary_scales = binary;
    Matrix weights(3, 32);
    for (int64_t i = 0; i < weights.size(); ++i)
      weights.data()[i] = (i < 32 ? 0.25 : 8) * levels[static_cast<size_t>(i * 5 % 8)];
    EXPECT_LT(Error(weights, RoundGrouped(weights, scheme), scheme), 1e-9) << binary;
    const Matrix others = Weights(3, 32), inputs = Inputs(32);
    const GroupedCodes codes = RoundGrouped(others, inputs, scheme);
    for (const float scale : codes.scales) {
      int exponent = 0;
      EXPECT_TRUE(!binary || std::frexp(scale, &exponent) == 0.5) << scale;
    }
    for (const int point : codes.zero_points) EXPECT_EQ(point, 0);
    const auto loss = [&](const GroupedCodes& found) {
      const Matrix off = NumbersOf(found, scheme) - others;
      return (off * inputs).cwiseProduct(off).sum();
    };
    EXPECT_LT(loss(codes), 0.7 * loss(RoundGrouped(others, scheme))) << binary;
  }
}

TEST(GroupedRounding, AllZerosAndOneInputAreNoTrouble) {
  const GroupedScheme scheme{4, false, 32};
  const Matrix zeros = Matrix::Zero(3, 8);
  EXPECT_EQ(NumbersOf(RoundGrouped(zeros, scheme), scheme), zeros);
  EXPECT_EQ(NumbersOf(RoundGrouped(zeros, Matrix::Zero(8, 8), scheme), scheme), zeros);
  const Matrix one = Matrix::Constant(1, 1, -3.5);
  EXPECT_NEAR(NumbersOf(RoundGrouped(one, scheme), scheme)(0, 0), -3.5, 1e-6);
}

TEST(GroupedRounding, RegardForDataLowersTheErrorOfResults) {
  const Matrix weights = Weights(16, 64), inputs = Inputs(64);
  for (const int bits : {2, 4}) {
    const GroupedScheme scheme{bits, false, 32};
    const auto loss = [&](const GroupedCodes& codes) {
      const Matrix off = NumbersOf(codes, scheme) - weights;
      return (off * inputs).cwiseProduct(off).sum();
    };
    const double blind = loss(RoundGrouped(weights, scheme));
    EXPECT_LT(loss(RoundGrouped(weights, inputs, scheme)), 0.5 * blind) << bits;
  }
}

TEST(GroupedRounding, RefittedWeightsMakeUpForChangedInputs) {
  const Matrix weights = Weights(8, 24), square = Inputs(24);
  EXPECT_LT((Refitted(weights, square, square) - weights).norm(), 1e-6);
  // Inputs that have become twice as large are met by halves.
  const Matrix half = Refitted(weights, 4 * square, 2 * square);
  EXPECT_LT((half - 0.5 * weights).norm(), 0.1 * weights.norm());
}

// Others make up for what is rounded; the error stays below that of the nearest.
TEST(GroupedRounding, LeavesZerosAlone) {
  Matrix weights = Weights(16, 64);
  for (int64_t i = 0; i < weights.size(); ++i) {
    if (i % 4 == 1 || i % 4 == 2) weights.data()[i] = 0;
  }
  const Matrix inputs = Inputs(64);
  for (const bool symmetric : {false, true}) {
    GroupedScheme scheme{4, symmetric, 16};
    scheme.zeros_stay = true;
    const GroupedCodes codes = RoundGrouped(weights, inputs, scheme);
    const Matrix numbers = NumbersOf(codes, scheme);
    for (int64_t i = 0; i < weights.size(); ++i) {
      if (weights.data()[i] == 0) {
        EXPECT_EQ(numbers.data()[i], 0) << i;
      }
    }
    const Matrix off = numbers - weights;
    EXPECT_NEAR((off * inputs).cwiseProduct(off).sum(), codes.error, 0.05 * codes.error);
    const GroupedCodes nearest = RoundGrouped(weights, scheme);
    const Matrix off_nearest = NumbersOf(nearest, scheme) - weights;
    EXPECT_LT(codes.error, 0.85 * (off_nearest * inputs).cwiseProduct(off_nearest).sum());
  }
}

}  // namespace
}  // namespace tessera::compression
