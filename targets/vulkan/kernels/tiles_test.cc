// What an invocation computes where rows become columns.
#include "targets/vulkan/kernels/tiles.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {
namespace {

using nests::Function;
using nests::Number;
using nests::Scalar;

// y[i, j] = f(x[j, i], x[j, i]), 64 by 48.
int64_t ElementsOfTransposed(Function function, size_t arguments) {
  solver::Context context;
  Axes axes(context);
  nests::Nest nest;
  nest.target = InProgram(1);
  for (int64_t extent : {64, 48}) {
    nest.axes.push_back({axes.Fresh(extent), extent});
    nest.at.push_back(nest.axes.back().symbol);
  }
  const Scalar read = Scalar::Read(InProgram(0), Number::kF32, {nest.at[1], nest.at[0]}, Scalar());
  nest.body = Scalar::Call(function, Number::kF32, std::vector<Scalar>(arguments, read));
  int64_t elements = 1;
  for (int64_t tile : TilesOf(nest, Tilings().front())) elements *= tile;
  return elements;
}

TEST(Tiles, TransposesComputeALineOfOneSideAndFourOfTheOther) {
  EXPECT_EQ(ElementsOfTransposed(Function::kExp, 1), 64);
  EXPECT_EQ(ElementsOfTransposed(Function::kErf, 1), 64);
}

// Each is a loop, and drivers take minutes for 64 of them in a row.
TEST(Tiles, TransposesOfPowersAndRemaindersComputeFew) {
  EXPECT_LE(ElementsOfTransposed(Function::kPow, 2), 4);
  EXPECT_LE(ElementsOfTransposed(Function::kFmod, 2), 4);
  EXPECT_LE(ElementsOfTransposed(Function::kPyMod, 2), 4);
}

// y[i] = the sum over k of a[i, k] * b[k], of as many rows, with every choice of sides.
TEST(Tiles, NoneIsLongerThanAnAxisOfKnownLength) {
  for (const Tiling& tiling : Tilings()) {
    for (int64_t rows = 1; rows <= 40; ++rows) {
      solver::Context context;
      Axes axes(context);
      nests::Nest nest;
      nest.target = InProgram(2);
      nest.axes.push_back({axes.Fresh(rows), rows});
      const solver::Expr row = nest.axes[0].symbol, k = axes.Fresh(5);
      nest.at.push_back(row);
      const Scalar product =
          Scalar::Call(Function::kMul, Number::kF32,
                       {Scalar::Read(InProgram(0), Number::kF32, {row, k}, Scalar()),
                        Scalar::Read(InProgram(1), Number::kF32, {k}, Scalar())});
      nest.body = Scalar::Reduce(nests::Reduction::kSum, Number::kF32,
                                 nests::Value::OfFloat(Number::kF32, 0), {{k, 5}}, {product});
      for (int64_t tile : TilesOf(nest, tiling)) EXPECT_LE(tile, rows) << rows;
    }
  }
}

}  // namespace
}  // namespace tessera::vulkan
