#include "passes/compression/pruning/linear_fit.h"

#include <random>

#include "gtest/gtest.h"

namespace tessera::compression {
namespace {

Matrix Random(int64_t rows, int64_t columns, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix matrix(rows, columns);
  for (int64_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<float>(normal(random));
  return matrix;
}

TEST(LinearFit, FindsTheWeightsThatMadeTheResults) {
  const Matrix weights = Random(3, 5, 1), x = Random(40, 5, 2);
  LinearFit fit(3, 5);
  fit.Add(x.topRows(10), x.topRows(10) * weights.transpose());
  LinearFit rest(3, 5);
  rest.Add(x.bottomRows(30), x.bottomRows(30) * weights.transpose());
  fit.Add(rest);
  const Matrix fitted = fit.Fitted(Matrix::Zero(3, 5), 1e-9, 5);
  EXPECT_LT((fitted - weights).norm(), 1e-3);
  // Sums are kept as floats.
  const double energy = (x * weights.transpose()).squaredNorm();
  EXPECT_NEAR(fit.Error(weights), 0, 1e-5 * energy);
  EXPECT_NEAR(fit.Error(Matrix::Zero(3, 5)), energy, 1e-5 * energy);
}

TEST(LinearFit, StaysWhereDampedAndWhereNothingWasSeen) {
  const Matrix prior = Random(2, 4, 3), x = Random(30, 4, 4), y = Random(30, 2, 5);
  LinearFit fit(2, 4);
  EXPECT_LT((fit.Fitted(prior, 1, 4) - prior).norm(), 1e-9);
  EXPECT_EQ(fit.Error(prior), 0);
  fit.Add(x, y);
  EXPECT_LT((fit.Fitted(prior, 1e9, 4) - prior).norm(), 1e-6);
  // The last column is free.
  const Matrix fitted = fit.Fitted(prior, 1e9, 3);
  EXPECT_LT((fitted - prior).leftCols(3).norm(), 1e-6);
  EXPECT_GT((fitted - prior).col(3).norm(), 1e-3);
}

TEST(LinearFit, OfFewObservationsFindsTheSame) {
  const Matrix prior = Random(3, 20, 6), x = Random(8, 20, 7), y = Random(8, 3, 8);
  LinearFit few(3, 20), sums(3, 20);
  few.Add(x.topRows(4), y.topRows(4));
  few.Add(x.bottomRows(4), y.bottomRows(4));
  sums.Add(x, y);
  // Observations of nothing, until there are as many as features.
  sums.Add(Matrix::Zero(20, 20), Matrix::Zero(20, 3));
  for (const double damping : {1e-2, 1.0, 1e3}) {
    const Matrix a = few.Fitted(prior, damping, 19), b = sums.Fitted(prior, damping, 19);
    EXPECT_LT((a - b).norm(), 1e-4) << damping;
    EXPECT_GT((a - prior).norm(), 1e-4);
    EXPECT_NEAR(few.Error(a), sums.Error(a), 1e-4);
  }
  LinearFit both(3, 20);
  both.Add(few);
  both.Add(sums);
  EXPECT_NEAR(both.Error(prior), 2 * few.Error(prior), 1e-3);
}

}  // namespace
}  // namespace tessera::compression
