#include "tools/verification/comparison.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::verification {
namespace {

using ir::DType;
using ir::Tensor;

Tensor Floats(const std::vector<float>& values) {
  return Tensor::Of<float>(DType::kF32, {static_cast<int64_t>(values.size())}, values);
}
Tensor Ints(const std::vector<int64_t>& values) {
  return Tensor::Of<int64_t>(DType::kI64, {static_cast<int64_t>(values.size())}, values);
}

TEST(Compare, MeasuresPeakErrorAgainstTheRange) {
  // Range 8 (from -4 to 4), peak error 0.5, errors 0.5 and 0.25.
  const Comparison c = Compare(Floats({-4, 0, 4, 2}), Floats({-4, 0.25, 4.5, 2}), 0.1);
  EXPECT_TRUE(c.holds) << c.complaint;
  EXPECT_EQ(c.max_abs, 0.5);
  EXPECT_EQ(c.max_rel, 0.125);
  EXPECT_EQ(c.peir, 0.0625);
  EXPECT_NEAR(c.snr, 10 * std::log10(36 / 0.3125), 1e-12);
  EXPECT_TRUE(Compare(Floats({-4, 0, 4, 2}), Floats({-4, 0.25, 4.5, 2}), 0.0625).holds);
  const Comparison strict = Compare(Floats({-4, 0, 4, 2}), Floats({-4, 0.25, 4.5, 2}), 0.0624);
  EXPECT_FALSE(strict.holds);
  EXPECT_EQ(strict.complaint, "PEIR 0.0625 exceeds 0.0624 at [2]: 4.5, expected 4");
}

TEST(Compare, ConstantOutputsAreMeasuredByMagnitude) {
  EXPECT_EQ(Compare(Floats({-4, -4}), Floats({-4, -3}), 1).peir, 0.25);
  EXPECT_EQ(Compare(Floats({0, 0}), Floats({0, 0.5}), 1).peir, 0.5);
  EXPECT_TRUE(Compare(Floats({}), Floats({}), 0).holds);
  EXPECT_EQ(Compare(Floats({3}), Floats({3}), 0).snr, std::numeric_limits<double>::infinity());
}

TEST(Compare, ElementsThatHardlyDifferMayBeRounded) {
  const float one = 1, below = std::nextafter(1.0f, 0.0f);
  EXPECT_TRUE(Compare(Floats({one, below}), Floats({below, below}), 1e-4).holds);
  EXPECT_FALSE(Compare(Floats({one, below}), Floats({one, 1 - 3e-7f}), 1e-4).holds);
}

TEST(Compare, SpecialValuesMustBeWhereTheyShouldBe) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  EXPECT_TRUE(Compare(Floats({1, inf, nan, -inf}), Floats({1, inf, nan, -inf}), 0).holds);
  for (const std::vector<float>& actual : std::vector<std::vector<float>>{{nan, inf, nan, -inf},
                                                                          {1, 1e30f, nan, -inf},
                                                                          {1, -inf, nan, -inf},
                                                                          {1, inf, 0, -inf},
                                                                          {inf, inf, nan, -inf}}) {
    EXPECT_FALSE(Compare(Floats({1, inf, nan, -inf}), Floats(actual), 1e30).holds);
  }
}

TEST(Compare, IntegersMustBeEqual) {
  const int64_t large = int64_t{1} << 60;
  EXPECT_TRUE(Compare(Ints({1, large}), Ints({1, large}), 0).holds);
  const Comparison c = Compare(Ints({1, large}), Ints({1, large + 1}), 1);
  EXPECT_FALSE(c.holds);
  EXPECT_EQ(c.complaint, "differs at [1]: 1152921504606846977, expected 1152921504606846976");
  const auto last = [](uint64_t value) { return Tensor::Of<uint64_t>(DType::kU64, {1}, {value}); };
  EXPECT_EQ(Compare(last(1), last(~uint64_t{1}), 0).complaint,
            "differs at [0]: 18446744073709551614, expected 1");
}

TEST(Compare, NarrowFloatsMayDifferByTheirSpacing) {
  const Tensor one = Floats({0, 1}).CastTo(DType::kF16),
               next = Floats({0, 1 + 1.0f / 1024}).CastTo(DType::kF16);
  EXPECT_TRUE(Compare(one, next, 1e-5).holds);
  EXPECT_FALSE(Compare(one, Floats({0, 1 + 2.0f / 1024}).CastTo(DType::kF16), 1e-5).holds);
  EXPECT_FALSE(Compare(Floats({0, 1}), Floats({0, 1 + 1.0f / 1024}), 1e-5).holds);
}

TEST(Compare, TypeComesFirst) {
  EXPECT_EQ(Compare(Floats({1}), Ints({1}), 1).complaint, "dtype i64, expected f32");
  EXPECT_EQ(Compare(Floats({1}), Floats({1, 1}), 1).complaint, "shape [2], expected [1]");
}

TEST(Compare, TheSnrDecidesWhereOneIsAsked) {
  const Tensor expected = Floats({-4, 0, 4, 2}), actual = Floats({-4, 0.25, 4.5, 2});
  EXPECT_TRUE(Compare(expected, actual, 0, 20).holds);  // of 20.6 dB
  const Comparison c = Compare(expected, actual, 1, 21);
  EXPECT_FALSE(c.holds);
  EXPECT_EQ(c.complaint, "SNR of 20.6145 dB is below 21 dB, most at [2]: 4.5, expected 4");
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(Compare(Floats({1, infinity}), Floats({1, 2}), 1, 10).holds);
}

TEST(Compare, OnAGridOneStepIsAllowed) {
  const Tensor expected = Floats({0, 0.5, 1, 1.5}), near = Floats({0, 0.5, 0.5, 1.5});
  const Comparison c = Compare(expected, near, 1e-4, 0, 0.5);
  EXPECT_TRUE(c.holds) << c.complaint;
  EXPECT_EQ(c.steps, 1);
  EXPECT_EQ(c.differing, 0.25);
  EXPECT_FALSE(Compare(expected, near, 1e-4).holds);
  EXPECT_FALSE(Compare(expected, near, 1e-4, 0, 0.49).holds);
  EXPECT_FALSE(Compare(expected, Floats({0, 0.5, 1, 0.5}), 1e-4, 0, 0.5).holds);
  EXPECT_TRUE(Compare(expected, near, 1e-4, 60, 0.5).holds);
  EXPECT_FALSE(Compare(expected, near, 1e-4, 60).holds);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(Compare(expected, Floats({0, 0.5, 1, infinity}), 1e-4, 0, 0.5).holds);
}

}  // namespace
}  // namespace tessera::verification
