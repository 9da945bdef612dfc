// What kernels say of sizes that are too large for 32 bits.
#include "targets/vulkan/kernels/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {
namespace {

using nests::Number;
using nests::Scalar;

Tensor Of(std::string name, ir::DType dtype, std::vector<Expr> dims) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.dtype = dtype;
  tensor.dims = std::move(dims);
  return tensor;
}

// y[k, j] = x[i[k], j] of N by M bytes.
std::vector<std::string> LimitsOfRowsByData(const Expr& n, const Expr& m, const Expr& k,
                                            Axes& axes) {
  Program program;
  program.tensors = {Of("x", ir::DType::kU8, {n, m}), Of("i", ir::DType::kI64, {k}),
                     Of("y", ir::DType::kU8, {k, m})};
  nests::Nest nest;
  nest.target = InProgram(2);
  nest.axes = {{axes.Fresh(k), k}, {axes.Fresh(m), m}};
  nest.at = {nest.axes[0].symbol, nest.axes[1].symbol};
  const Scalar row = Scalar::Read(InProgram(1), Number::kI64, {nest.at[0]}, Scalar());
  nest.body = Scalar::Read(InProgram(0), Number::kI64, {row, nest.at[1]}, Scalar());
  Stage stage;
  stage.nests = {nest};
  const auto kernel = KernelOf(program, stage);
  if (!kernel.ok()) return {std::string(kernel.status().message())};
  std::vector<std::string> limits;
  for (const Expr& limit : kernel->limits) limits.push_back(limit.ToString());
  return limits;
}

// Where data say which row is read it may be the last one, however few are read.
TEST(KernelTest, CountsToTheEndOfWhatDataLookUp) {
  solver::Context context;
  Axes axes(context);
  const Expr n = context.Symbol("N"), m = context.Symbol("M"), k = context.Symbol("K");
  EXPECT_THAT(LimitsOfRowsByData(n, m, k, axes), ::testing::Contains((n * m).ToString()));
  EXPECT_THAT(LimitsOfRowsByData(3000000, 1024, k, axes),
              ::testing::ElementsAre(::testing::HasSubstr("it counts to 3072000000")));
}

// Groups are run in whole rows of up to 65535, so that there are up to 65534 * 64 numbers more: of
// sizes just below 2^31 some have the sign.
TEST(KernelTest, NumbersOfInvocationsHaveNoSign) {
  solver::Context context;
  Axes axes(context);
  const Expr n = context.Symbol("N");
  Program program;
  program.tensors = {Of("x", ir::DType::kU8, {n}), Of("y", ir::DType::kU8, {n})};
  nests::Nest nest;
  nest.target = InProgram(1);
  nest.axes = {{axes.Fresh(n), n}};
  nest.at = {nest.axes[0].symbol};
  nest.body = Scalar::Read(InProgram(0), Number::kI64, {nest.at[0]}, Scalar());
  Stage stage;
  stage.nests = {nest};
  const auto kernel = KernelOf(program, stage);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_THAT(kernel->glsl, ::testing::HasSubstr("if (uint(id) >= uint("));
}

}  // namespace
}  // namespace tessera::vulkan
