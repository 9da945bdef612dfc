#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "passes/compression/quantization/range.h"
#include "passes/compression/quantization/rounding.h"
#include "passes/compression/quantization/weight_scales.h"

namespace tessera::compression {
namespace {

ir::Tensor Of(std::vector<int64_t> shape, std::vector<float> values) {
  return ir::Tensor::Of<float>(ir::DType::kF32, shape, values);
}
std::vector<int64_t> IntsOf(const ir::Tensor& tensor) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < tensor.size(); ++i) all.push_back(tensor.AsInt(i));
  return all;
}
Grid Plain(float scale, int zero) {
  Grid grid;
  grid.scale = Of({}, {scale});
  const int32_t point = zero;
  grid.zero_point = ir::Tensor::Of<int32_t>(ir::DType::kI32, {}, absl::MakeConstSpan(&point, 1));
  return grid;
}

// Ties to even before the zero point is added, as ONNX says; what is no number falls on an end.
TEST(Rounding, IsThatOfOnnx) {
  const Grid grid = Plain(0.5f, 3);
  const ir::Tensor x = Of({6}, {0.25f, 0.75f, -0.25f, 1000, -1000, std::nanf("")});
  EXPECT_EQ(IntsOf(CodesOf(x, grid)), (std::vector<int64_t>{3, 5, 3, 127, -128, -128}));
}

TEST(Rounding, OnTheGridIsBothSteps) {
  const Grid grid = Plain(0.1f, -7);
  const ir::Tensor x = Of({4}, {0, 0.26f, -3, 100});
  int64_t saturated = 0;
  EXPECT_TRUE(ir::Identical(OnGrid(x, grid, &saturated), NumbersOf(CodesOf(x, grid), grid)));
  EXPECT_EQ(saturated, 1);
}

TEST(Rounding, HasAScalePerEntryAndPerBlock) {
  Grid grid;
  grid.axis = 1;
  grid.scale = Of({2}, {1, 10});
  const ir::Tensor x = Of({2, 2}, {3, 30, 4, 40});
  EXPECT_EQ(IntsOf(CodesOf(x, grid)), (std::vector<int64_t>{3, 3, 4, 4}));
  grid.block = 2;
  grid.scale = Of({1, 2}, {1, 10});
  const ir::Tensor y = Of({1, 3}, {3, 4, 50});
  EXPECT_EQ(IntsOf(CodesOf(y, grid)), (std::vector<int64_t>{3, 4, 5}));
}

// Whatever the range: 0 is a code, and no end is cut off by more than a rounding.
TEST(Grids, HoldZeroAndTheirRange) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-4, 4);
  for (const ir::DType storage :
       {ir::DType::kI8, ir::DType::kU8, ir::DType::kI16, ir::DType::kU16}) {
    for (const bool symmetric : {false, true}) {
      for (int i = 0; i < 200; ++i) {
        const double a = any(random), b = any(random);
        const Grid grid = GridOf(std::min(a, b), std::max(a, b), storage, symmetric);
        const double scale = grid.scale.AsDouble(0);
        const int64_t zero = grid.zero_point->AsInt(0);
        ASSERT_GE(zero, grid.low);
        ASSERT_LE(zero, grid.high);
        if (symmetric && grid.low < 0) {
          EXPECT_EQ(zero, 0);
        }
        EXPECT_LE(double(grid.low - zero) * scale, std::min({a, b, 0.0}) + scale * 0.51);
        EXPECT_GE(double(grid.high - zero) * scale, std::max({a, b, 0.0}) - scale * 0.51);
      }
    }
  }
}

TEST(Grids, AreOfSomethingWhereThereIsNothing) {
  const Grid grid = GridOf(0, 0, ir::DType::kI8, false);
  EXPECT_GT(grid.scale.AsDouble(0), 0);
  EXPECT_EQ(OnGrid(Of({1}, {0}), grid).AsDouble(0), 0);
}

// Weights that lie on any grid of fewer steps are met, whatever their largest is.
TEST(WeightScales, FindTheGridOfTheWeights) {
  for (const int steps : {3, 17, 64, 100, 127}) {
    std::vector<float> values;
    for (int i = -steps; i <= steps; i += 2) values.push_back(static_cast<float>(i) * 0.037f);
    const ir::Tensor weight = Of({1, static_cast<int64_t>(values.size())}, values);
    const Grid grid = ChooseWeightGrid(weight, {ir::DType::kI8, true, 0, true});
    EXPECT_LT(WeightError(weight, grid), 1e-9) << steps;
  }
}

TEST(WeightScales, ASearchIsNeverWorse) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 1);
  for (int round = 0; round < 20; ++round) {
    std::vector<float> values;
    for (int i = 0; i < 256; ++i) values.push_back(normal(random));
    const ir::Tensor weight = Of({4, 64}, values);
    const double plain =
        WeightError(weight, ChooseWeightGrid(weight, {ir::DType::kI8, true, 0, false}));
    const double searched =
        WeightError(weight, ChooseWeightGrid(weight, {ir::DType::kI8, true, 0, true}));
    EXPECT_LE(searched, plain * (1 + 1e-6));
  }
}

// What is cut off costs less than what finer steps gain, where there are few outliers.
TEST(Ranges, OfLeastErrorCutOffOutliers) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values = {60};
  for (int i = 0; i < 50000; ++i) values.push_back(normal(random));
  calibration::Histogram histogram;
  histogram.Add(Of({static_cast<int64_t>(values.size())}, values));
  const auto grid = [&](const char* type, double power = 2) {
    return ChooseGrid(histogram, {type, power}, ir::DType::kI8, false);
  };
  const auto error = [&](const char* type) { return ExpectedError(histogram, grid(type)); };
  EXPECT_LT(error("mse"), error("min_max"));
  EXPECT_LE(error("mse"), error("percentile"));
  EXPECT_LE(error("mse"), error("kl"));
  // The higher the power, the more of what lies outside is kept.
  EXPECT_EQ(error("lp"), error("mse"));
  EXPECT_LT(ExpectedError(histogram, grid("lp", 4), 4), ExpectedError(histogram, grid("mse"), 4));
  EXPECT_GT(grid("lp", 4).scale.AsDouble(0), grid("mse").scale.AsDouble(0));
  EXPECT_LE(grid("lp", 4).scale.AsDouble(0), grid("min_max").scale.AsDouble(0));
}

}  // namespace
}  // namespace tessera::compression
