#include "passes/compression/quantization/weight_problem.h"

#include <cmath>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "passes/compression/quantization/rounding.h"

namespace tessera::compression {
namespace {

constexpr int64_t kWeights = 24, kChannels = 3, kRows = 2000;

// Rows whose entries go up and down together, as those of images do, around a mean.
std::vector<float> Correlated(std::mt19937& random) {
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> x;
  for (int64_t r = 0; r < kRows; ++r) {
    float level = 3;
    for (int64_t j = 0; j < kWeights; ++j) {
      level = 0.9f * level + 0.5f * normal(random) + 0.3f;
      x.push_back(level);
    }
  }
  return x;
}

std::vector<float> Products(const std::vector<float>& x, const std::vector<float>& w) {
  std::vector<float> y;
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t c = 0; c < kChannels; ++c) {
      double sum = 0;
      for (int64_t j = 0; j < kWeights; ++j)
        sum += double{x[size_t(r * kWeights + j)]} * double{w[size_t(c * kWeights + j)]};
      y.push_back(static_cast<float>(sum));
    }
  }
  return y;
}

// Mean squared distance, but for each channel's mean where centered.
double Distance(const std::vector<float>& y, const std::vector<float>& z, bool centered) {
  double total = 0;
  for (int64_t c = 0; c < kChannels; ++c) {
    double sum = 0, squares = 0;
    for (int64_t r = 0; r < kRows; ++r) {
      const size_t i = size_t(r * kChannels + c);
      const double off = double{y[i]} - double{z[i]};
      sum += off;
      squares += off * off;
    }
    total += squares / kRows - (centered ? sum * sum / kRows / kRows : 0);
  }
  return total;
}

std::vector<float> Numbers(const WeightProblem::Solution& solution) {
  std::vector<float> numbers;
  for (size_t i = 0; i < solution.codes.size(); ++i) {
    const size_t c = i / size_t(kWeights);
    numbers.push_back(static_cast<float>(solution.codes[i] - solution.zeros[c]) *
                      solution.scales[c]);
  }
  return numbers;
}

std::vector<float> Weights(std::mt19937& random) {
  std::normal_distribution<float> normal(0, 0.2f);
  std::vector<float> w;
  for (int64_t i = 0; i < kWeights * kChannels; ++i) w.push_back(normal(random));
  return w;
}

TEST(WeightProblem, ErrorsCancelInTheResults) {
  for (const bool centered : {false, true}) {
    std::mt19937 random(11);
    const std::vector<float> x = Correlated(random), w = Weights(random), y = Products(x, w);
    WeightProblem problem(kWeights, kChannels, centered);
    problem.Add(x, y, kRows, false);
    const WeightScheme scheme{ir::DType::kI4, true, 0, true};
    const std::vector<float> chosen = Numbers(problem.Solve(w, scheme));
    const ir::Tensor tensor = ir::Tensor::Of<float>(ir::DType::kF32, {kChannels, kWeights}, w);
    const ir::Tensor nearest = OnGrid(tensor, ChooseWeightGrid(tensor, scheme));
    const std::vector<float> rounded(nearest.data<float>(), nearest.data<float>() + nearest.size());
    EXPECT_LT(Distance(y, Products(x, chosen), centered),
              0.5 * Distance(y, Products(x, rounded), centered));
  }
}

// Where none but the scale that just holds the largest weight is asked for, none other is taken.
TEST(WeightProblem, SearchesNoScalesUnlessAsked) {
  std::mt19937 random(11);
  const std::vector<float> x = Correlated(random), w = Weights(random), y = Products(x, w);
  WeightProblem problem(kWeights, kChannels, false);
  problem.Add(x, y, kRows, false);
  const auto scales = [&](bool search) {
    return problem.Solve(w, {ir::DType::kI4, true, 0, search}).scales;
  };
  const ir::Tensor tensor = ir::Tensor::Of<float>(ir::DType::kF32, {kChannels, kWeights}, w);
  const ir::Tensor widest = ChooseWeightGrid(tensor, {ir::DType::kI4, true, 0, false}).scale;
  EXPECT_EQ(scales(false), std::vector<float>(widest.data<float>(), widest.data<float>() + 3));
  EXPECT_NE(scales(true), scales(false));
}

// What a bias cannot make up for, weights do: rows that the quantized network has made smaller.
TEST(WeightProblem, WeightsMakeUpForWhatTheyAreFed) {
  std::mt19937 random(5);
  const std::vector<float> x = Correlated(random), w = Weights(random), y = Products(x, w);
  std::vector<float> fed = x;
  for (float& entry : fed) entry *= 0.8f;
  const WeightScheme scheme{ir::DType::kI8, true, 0, true};
  WeightProblem problem(kWeights, kChannels, true);
  problem.Add(fed, y, kRows, false);
  problem.Add(fed, y, kRows, true);
  const double moved = Distance(y, Products(fed, Numbers(problem.Solve(w, scheme))), true);
  EXPECT_LT(moved, 0.1 * Distance(y, Products(fed, w), true));
}

TEST(WeightProblem, KeepsWeightsThatAreOnAGrid) {
  std::mt19937 random(3);
  const std::vector<float> x = Correlated(random);
  std::vector<float> w;
  for (int64_t i = 0; i < kWeights * kChannels; ++i)
    w.push_back(static_cast<float>(static_cast<int>(random() % 15) - 7) * 0.05f);
  WeightProblem problem(kWeights, kChannels, false);
  problem.Add(x, Products(x, w), kRows, false);
  const std::vector<float> chosen = Numbers(problem.Solve(w, {ir::DType::kI8, true, 0, true}));
  for (size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(chosen[i], w[i], 1e-6);
}

// Nothing is known of what is always zero: it is rounded to the nearest, and nothing breaks.
TEST(WeightProblem, OfNothingIsTheNearest) {
  std::mt19937 random(3);
  const std::vector<float> w = Weights(random);
  WeightProblem problem(kWeights, kChannels, true);
  problem.Add(std::vector<float>(kWeights * kRows), std::vector<float>(kChannels * kRows), kRows,
              false);
  const std::vector<float> chosen = Numbers(problem.Solve(w, {ir::DType::kI8, true, 0, true}));
  for (size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(chosen[i], w[i], 0.01);
}

// The others make up for what is fed and for what is rounded.
TEST(WeightProblem, LeavesZerosAlone) {
  std::mt19937 random(7);
  const std::vector<float> x = Correlated(random);
  std::vector<float> w = Weights(random);
  for (size_t i = 0; i < w.size(); ++i) {
    if (i % 4 > 1) w[i] = 0;
  }
  const std::vector<float> y = Products(x, w);
  std::vector<float> fed = x;
  for (float& entry : fed) entry *= 0.8f;
  for (const bool symmetric : {false, true}) {
    WeightScheme scheme{ir::DType::kI8, symmetric, 0, true};
    scheme.zeros_stay = true;
    WeightProblem problem(kWeights, kChannels, true);
    problem.Add(fed, y, kRows, false);
    problem.Add(fed, y, kRows, true);
    const std::vector<float> chosen = Numbers(problem.Solve(w, scheme));
    for (size_t i = 0; i < w.size(); ++i) {
      if (w[i] == 0) {
        EXPECT_EQ(chosen[i], 0) << i;
      }
    }
    EXPECT_LT(Distance(y, Products(fed, chosen), true), 0.1 * Distance(y, Products(fed, w), true));
  }
}

}  // namespace
}  // namespace tessera::compression
