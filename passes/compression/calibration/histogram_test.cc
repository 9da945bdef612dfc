#include "passes/compression/calibration/histogram.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::calibration {
namespace {

ir::Tensor Of(std::vector<float> values) {
  return ir::Tensor::Of<float>(ir::DType::kF32, {static_cast<int64_t>(values.size())}, values);
}

TEST(Histogram, IsTheSameInWhateverOrderSamplesCome) {
  const std::vector<ir::Tensor> samples = {Of({0.1f, -0.2f}), Of({40, -3}), Of({0.5f, 0, 7})};
  Histogram rising, falling;
  for (const ir::Tensor& sample : samples) rising.Add(sample);
  for (auto sample = samples.rbegin(); sample != samples.rend(); ++sample) falling.Add(*sample);
  EXPECT_EQ(rising.least(), -3);
  EXPECT_EQ(rising.most(), 40);
  EXPECT_EQ(rising.elements(), 7);
  EXPECT_EQ(rising.width(), falling.width());
  EXPECT_EQ(rising.bins(), falling.bins());
}

TEST(Histogram, KnowsQuantiles) {
  Histogram histogram;
  std::vector<float> values;
  for (int i = 0; i <= 1000; ++i) values.push_back(static_cast<float>(i) / 1000);
  histogram.Add(Of(values));
  EXPECT_NEAR(histogram.Quantile(0.25), 0.25, 0.002);
  EXPECT_EQ(histogram.Quantile(1), 1);
  EXPECT_EQ(histogram.Quantile(0), 0);
}

TEST(Histogram, CountsWhatIsNotFiniteApart) {
  Histogram histogram;
  histogram.Add(Of({std::nanf(""), 1, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(histogram.not_finite(), 2);
  EXPECT_EQ(histogram.elements(), 1);
  EXPECT_EQ(histogram.most(), 1);
}

TEST(Histogram, KeepsTheMeansOfSamplesEnds) {
  Histogram histogram;
  histogram.Add(Of({-1, 3}));
  histogram.Add(Of({-3, 5}));
  EXPECT_EQ(histogram.mean_least(), -2);
  EXPECT_EQ(histogram.mean_most(), 4);
}

}  // namespace
}  // namespace tessera::calibration
