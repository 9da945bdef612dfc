#include "codegen/support/scalar.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace tessera::kernels {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min(),
                  kMax = std::numeric_limits<int64_t>::max();
const float kInf = std::numeric_limits<float>::infinity(), kNan = std::nanf("");

TEST(Scalar, MinAndMaxPropagateNan) {
  EXPECT_EQ(Min(1.0f, 2.0f), 1.0f);
  EXPECT_EQ(Max(1.0f, 2.0f), 2.0f);
  EXPECT_EQ(Max(-kInf, 2.0f), 2.0f);
  for (const float other : {1.0f, kInf, -kInf, kNan}) {
    EXPECT_TRUE(std::isnan(Min(kNan, other)) && std::isnan(Min(other, kNan)));
    EXPECT_TRUE(std::isnan(Max(kNan, other)) && std::isnan(Max(other, kNan)));
  }
  EXPECT_EQ(Max(uint64_t{1} << 63, uint64_t{1}), uint64_t{1} << 63);
}

TEST(Scalar, IntegerArithmeticIsTotal) {
  EXPECT_EQ(Add(kMax, int64_t{1}), kMin);
  EXPECT_EQ(Sub(kMin, int64_t{1}), kMax);
  EXPECT_EQ(Mul(kMin, int64_t{-1}), kMin);
  EXPECT_EQ(Neg(kMin), kMin);
  EXPECT_EQ(Abs(kMin), kMin);
  EXPECT_EQ(Div(kMin, int64_t{-1}), kMin);
  EXPECT_EQ(Div(int64_t{-7}, int64_t{2}), -3);
  EXPECT_EQ(Div(int64_t{7}, int64_t{0}), 0);
  EXPECT_EQ(Fmod(kMin, int64_t{-1}), 0);
  EXPECT_EQ(PyMod(int64_t{7}, int64_t{0}), 0);
  EXPECT_EQ(Div(uint64_t{7}, uint64_t{2}), 3u);
}

TEST(Scalar, TheTwoRemainders) {
  for (int64_t a = -9; a <= 9; ++a) {
    for (int64_t b = -4; b <= 4; ++b) {
      if (b == 0) continue;
      EXPECT_EQ(Fmod(a, b), a % b);
      const int64_t floored =
          static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
      EXPECT_EQ(PyMod(a, b), a - b * floored);
      EXPECT_EQ(PyMod(static_cast<double>(a), static_cast<double>(b)),
                static_cast<double>(a - b * floored));
      EXPECT_EQ(Fmod(static_cast<float>(a), static_cast<float>(b)), static_cast<float>(a % b));
    }
  }
  EXPECT_TRUE(std::signbit(PyMod(0.0, -2.0)));
  EXPECT_TRUE(std::isnan(Fmod(1.0f, 0.0f)));
}

TEST(Scalar, CastsSaturateFromFloatAndWrapFromInteger) {
  EXPECT_EQ(Cast<int64_t>(-2.9f), -2);
  EXPECT_EQ(Cast<int64_t>(kNan), 0);
  EXPECT_EQ(Cast<int64_t>(kInf), kMax);
  EXPECT_EQ(Cast<int64_t>(-1e30), kMin);
  EXPECT_EQ(Cast<int64_t>(9223372036854775808.0), kMax);
  EXPECT_EQ(Cast<int64_t>(-9223372036854775808.0), kMin);
  EXPECT_EQ(Cast<uint64_t>(-1.0), 0u);
  EXPECT_EQ(Cast<uint64_t>(1e30f), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(Cast<uint64_t>(int64_t{-1}), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(Cast<uint8_t>(256.0f), 1);
  EXPECT_EQ(Cast<uint8_t>(0.25f), 1);
  EXPECT_EQ(Cast<uint8_t>(int64_t{256}), 1);
  EXPECT_EQ(Cast<float>(true), 1.0f);
  EXPECT_EQ(Lit<int64_t>(std::numeric_limits<double>::infinity()), kMax);
}

TEST(Scalar, PowersOfIntegersAreExact) {
  for (int64_t base = -5; base <= 5; ++base) {
    int64_t power = 1;
    for (int64_t e = 0; e < 20; ++e, power *= base)
      EXPECT_EQ(Pow(base, e), power) << base << " " << e;
  }
  EXPECT_EQ(Pow(int64_t{3}, int64_t{40}),
            12157665459056928801u - (uint64_t{1} << 63) - (uint64_t{1} << 63));
  EXPECT_EQ(Pow(int64_t{-1}, int64_t{-3}), -1);
  EXPECT_EQ(Pow(int64_t{2}, int64_t{-1}), 0);
  EXPECT_EQ(Pow(int64_t{4}, 0.5f), 2);
  EXPECT_EQ(Pow(4.0f, int64_t{-1}), 0.25f);
  EXPECT_EQ(Pow(2.0f, 0.5f), std::sqrt(2.0f));
}

TEST(Scalar, RoundingAndSign) {
  EXPECT_EQ(Round(0.5f), 0);
  EXPECT_EQ(Round(1.5), 2);
  EXPECT_EQ(Round(-2.5), -2);
  EXPECT_EQ(Trunc(-1.7f), -1);
  EXPECT_EQ(Floor(int64_t{5}), 5);
  EXPECT_EQ(Sign(-kInf), -1);
  EXPECT_TRUE(std::isnan(Sign(kNan)));
  EXPECT_EQ(Sign(uint64_t{1} << 63), 1u);
  EXPECT_TRUE(std::signbit(Neg(0.0f)));
  EXPECT_EQ(Sqrt(int64_t{17}), 4);
}

TEST(Scalar, LowestAndHighestAreTheIdentitiesWithinTheDtype) {
  EXPECT_EQ(Lowest<float>(), -kInf);
  EXPECT_EQ(Highest<int64_t>(), kMax);
  EXPECT_EQ(Lowest<uint8_t>(), 0);
  EXPECT_EQ(Highest<uint8_t>(), 1);
  EXPECT_EQ(Lowest<int64_t>(ir::DType::kI8), -128);
  EXPECT_EQ(Highest<int64_t>(ir::DType::kU32), 4294967295);
  EXPECT_EQ(Lowest<int64_t>(ir::DType::kU16), 0);
  EXPECT_EQ(Lowest<int64_t>(ir::DType::kI64), kMin);
  EXPECT_EQ(Highest<float>(ir::DType::kF16), kInf);
}

TEST(Scalar, BoolsMixWithStoredBools) {
  const uint8_t stored = 1;
  EXPECT_EQ(Select(Lt(1.0f, 2.0f), stored, Not(stored)), 1);
  EXPECT_TRUE(Eq(stored, true));
  EXPECT_TRUE(Xor(stored, Gt(1.0f, 2.0f)));
  EXPECT_FALSE(And(stored, 0.0f));
  EXPECT_EQ(Select(stored, 1.5f, 2.5f), 1.5f);
  EXPECT_TRUE(IsPosInf(kInf) && IsNegInf(-kInf) && IsInf(-kInf) && !IsInf(1.0f) &&
              !IsPosInf(-kInf) && IsNan(kNan));
}

TEST(Scalar, ShiftsOutsideTheWordGiveZero) {
  EXPECT_EQ(Shl(uint64_t{3}, uint64_t{63}), uint64_t{1} << 63);
  EXPECT_EQ(Shl(uint64_t{3}, uint64_t{64}), 0u);
  EXPECT_EQ(Shr(uint64_t{8}, uint64_t{2}), 2u);
  EXPECT_EQ(Shr(int64_t{8}, int64_t{-1}), 0);
  EXPECT_EQ(BitNot(int64_t{5}), -6);
}

}  // namespace
}  // namespace tessera::kernels
