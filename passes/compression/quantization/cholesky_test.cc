#include "passes/compression/quantization/cholesky.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cstdint>
#include <random>

#include "gtest/gtest.h"

namespace tessera::compression {
namespace {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Rows Draw(Eigen::Index rows, Eigen::Index columns, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  return Rows::NullaryExpr(rows, columns, [&] { return normal(random); });
}

TEST(CholeskyTest, MomentsAreThoseOfDoubles) {
  for (const Eigen::Index n : {1, 65, 513, 1030}) {
    const Rows first = Draw(37, n, 1), second = Draw(11, n, 2);
    Rows lower = Rows::Zero(n, n);
    AddMoments(first, lower);
    AddMoments(second, lower);
    Eigen::MatrixXd wanted = first.cast<double>().transpose() * first.cast<double>();
    wanted += second.cast<double>().transpose() * second.cast<double>();
    const Eigen::MatrixXd off = lower.cast<double>() - wanted;
    EXPECT_LT(Eigen::MatrixXd(off.triangularView<Eigen::Lower>()).cwiseAbs().maxCoeff(), 1e-4) << n;
  }
}

TEST(CholeskyTest, SolvesWhatDoublesSolve) {
  for (const Eigen::Index n : {1, 63, 64, 65, 300, 700}) {
    const Rows a = Draw(2 * n + 8, n, 3);
    Eigen::MatrixXd exact = a.cast<double>().transpose() * a.cast<double>();
    exact.diagonal().array() += 0.1 * static_cast<double>(n);
    Eigen::MatrixXf matrix = exact.cast<float>();
    matrix.triangularView<Eigen::StrictlyUpper>().setConstant(12345);  // not read
    ASSERT_TRUE(Factorize(matrix)) << n;
    EXPECT_EQ(n == 1 ? 12345 : matrix(0, n - 1), 12345);
    const Eigen::MatrixXd lower = Eigen::MatrixXd(exact.llt().matrixL());
    const Eigen::MatrixXf narrow = matrix.triangularView<Eigen::Lower>();
    EXPECT_LT((narrow.cast<double>() - lower).norm(), 1e-5 * lower.norm()) << n;
    Eigen::MatrixXf b = Draw(n, 5, 4);
    const Eigen::MatrixXd wanted = exact.llt().solve(b.cast<double>());
    SolveFactorized(matrix, b);
    EXPECT_LT((b.cast<double>() - wanted).norm(), 1e-3 * wanted.norm()) << n;
  }
}

TEST(CholeskyTest, RefusesWhatIsNotPositive) {
  for (const Eigen::Index at : {0, 63, 64, 99}) {
    Eigen::MatrixXf matrix = Eigen::MatrixXf::Identity(100, 100);
    matrix(at, at) = -1;
    EXPECT_FALSE(Factorize(matrix)) << at;
  }
}

}  // namespace
}  // namespace tessera::compression
