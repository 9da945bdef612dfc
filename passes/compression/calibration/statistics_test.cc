#include "passes/compression/calibration/statistics.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ir/rewriter.h"

namespace tessera::calibration {
namespace {

ir::Tensor Of(std::vector<float> values) {
  return ir::Tensor::Of<float>(ir::DType::kF32, {static_cast<int64_t>(values.size())}, values);
}

TEST(Statistics, AreThoseOfAllSamplesTogether) {
  Statistics statistics;
  statistics.Add(Of({1, -3}));
  statistics.Add(Of({8}));
  EXPECT_EQ(statistics.tensors, 2);
  EXPECT_EQ(statistics.elements, 3);
  EXPECT_EQ(statistics.least, -3);
  EXPECT_EQ(statistics.most, 8);
  EXPECT_DOUBLE_EQ(statistics.mean, 2);
  EXPECT_DOUBLE_EQ(statistics.Deviation(), std::sqrt((1 + 25 + 36) / 3.0));
}

TEST(Statistics, CountWhatIsNoNumber) {
  Statistics statistics;
  EXPECT_EQ(statistics.Deviation(), 0);
  statistics.Add(Of({std::numeric_limits<float>::infinity(), std::nanf(""), 2}));
  EXPECT_EQ(statistics.not_finite, 2);
  EXPECT_EQ(statistics.least, 2);
  EXPECT_EQ(statistics.most, 2);
}

// A large mean takes no digits from the deviation.
TEST(Statistics, DoNotCancel) {
  Statistics statistics;
  for (int i = 0; i < 1000; ++i) statistics.Add(Of({1e6f + static_cast<float>(i % 2)}));
  EXPECT_NEAR(statistics.Deviation(), 0.5, 1e-9);
}

TEST(Collector, KeepsValuesApart) {
  ir::Graph graph;
  ir::Rewriter rewriter(graph);
  const ir::Value* a = *rewriter.AddInput("a", {ir::DType::kF32, {1}});
  const ir::Value* b = *rewriter.AddInput("b", {ir::DType::kF32, {1}});
  const ir::Value* never = *rewriter.AddInput("never", {ir::DType::kF32, {1}});
  Collector collector;
  collector.See(*a, Of({1}));
  collector.See(*b, Of({2}));
  collector.See(*a, Of({5}));
  EXPECT_EQ(collector.Find(*a)->most, 5);
  EXPECT_EQ(collector.Find(*b)->most, 2);
  EXPECT_EQ(collector.Find(*never), nullptr);
  EXPECT_EQ(collector.all().size(), 2u);
}

}  // namespace
}  // namespace tessera::calibration
