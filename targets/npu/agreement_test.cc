#include "targets/npu/agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tessera::npu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Agreement Of(const std::vector<double>& network, const std::vector<double>& artifact) {
  const std::vector<int64_t> shape = {static_cast<int64_t>(network.size())};
  return AgreementOf(ir::Tensor::Of<double>(ir::DType::kF32, shape, network),
                     ir::Tensor::Of<double>(ir::DType::kF32, shape, artifact));
}

TEST(Agreement, OfFiniteElements) {
  EXPECT_EQ(Of({1, 2}, {1, 2}).snr, kInfinity);
  EXPECT_NEAR(Of({10, 0}, {10, 1}).snr, 20, 1e-6);
  EXPECT_EQ(Of({10, 0}, {10, 1}).left_out, 0);
}

TEST(Agreement, WhatTheDeviceHasNotIsLeftOut) {
  const Agreement some = Of({10, -kInfinity, NAN, 0}, {10, -5, 3, 1});
  EXPECT_NEAR(some.snr, 20, 1e-6);
  EXPECT_EQ(some.left_out, 2);
  EXPECT_TRUE(std::isnan(Of({-kInfinity}, {-5}).snr));
  // Of the artifact's own numbers none agrees with what is finite.
  EXPECT_EQ(Of({10, 1}, {10, NAN}).snr, -kInfinity);
}

}  // namespace
}  // namespace tessera::npu
