#include "frontends/onnx/float_sizes.h"

#include "frontends/onnx/dim_option.h"
#include "gtest/gtest.h"
#include "solver/expr.h"

namespace tessera::onnx_import {
namespace {

using solver::Expr;

constexpr int64_t kExact = int64_t{1} << 24;

Expr Dim(solver::Context& context, const char* name, int64_t high = kMaxDim, int64_t stride = 1) {
  return *context.Declare(name, {1, high}, {stride, 0}, "");
}

TEST(EnsureExact, WhatHoldsNeedsNoFact) {
  solver::Context context;
  const Expr h = Dim(context, "H", 4096);
  EXPECT_TRUE(EnsureExact(context, solver::Le(h * 16, kExact), "/Pad"));
  EXPECT_TRUE(EnsureExact(context, 1, "/Pad"));
  EXPECT_TRUE(context.facts().empty());
}

TEST(EnsureExact, BoundsWhatNobodyBounded) {
  solver::Context context;
  const Expr h = Dim(context, "H"), w = Dim(context, "W"), n = Dim(context, "N");
  EXPECT_TRUE(
      EnsureExact(context, solver::And(solver::Le(h + w, kExact), solver::Ge(h, -kExact)), "/Pad"));
  EXPECT_EQ(solver::RangeOf(h).hi, kExact / 2);
  EXPECT_EQ(solver::RangeOf(w).hi, kExact / 2);
  EXPECT_EQ(solver::RangeOf(n).hi, kMaxDim);
  ASSERT_EQ(context.facts().size(), 2u);
  EXPECT_EQ(context.facts()[0].origin,
            "sizes are computed in floats or narrow integers for `/Pad`");
  // With that it holds.
  EXPECT_TRUE(EnsureExact(context, solver::Le(h + w, kExact), "/Slice"));
  EXPECT_EQ(context.facts().size(), 2u);
}

TEST(EnsureExact, KeepsCongruences) {
  solver::Context context;
  const Expr h = Dim(context, "H", kMaxDim, 24);
  EXPECT_TRUE(EnsureExact(context, solver::Le(h, kExact), "/Pad"));
  EXPECT_LE(solver::RangeOf(h).hi, kExact);
  EXPECT_GT(solver::RangeOf(h).hi, kExact - 24);
}

// What was assumed before is no bound that somebody has stated.
TEST(EnsureExact, NarrowsItsOwnAssumptions) {
  solver::Context context;
  const Expr h = Dim(context, "H");
  EXPECT_TRUE(EnsureExact(context, solver::Le(h, kExact), "/Pad"));
  EXPECT_TRUE(EnsureExact(context, solver::Lt(h, kExact), "/Slice"));
  EXPECT_EQ(solver::RangeOf(h).hi, kExact / 2);
  ASSERT_EQ(context.facts().size(), 2u);
  // What already holds is not assumed again.
  EXPECT_TRUE(EnsureExact(context, solver::Le(h, kExact), "/Tile"));
  EXPECT_EQ(context.facts().size(), 2u);
}

TEST(EnsureExact, LeavesStatedBoundsAlone) {
  solver::Context context;
  const Expr h = Dim(context, "H", kMaxDim - 100);
  EXPECT_FALSE(EnsureExact(context, solver::Le(h, kExact), "/Pad"));
  EXPECT_TRUE(context.facts().empty());
}

// As many pixels as f32 counts exactly leave 4096 to each side; a volume would leave 256.
TEST(EnsureExact, DoesNotForbidUsualSizes) {
  solver::Context context;
  const Expr h = Dim(context, "H"), w = Dim(context, "W"), d = Dim(context, "D");
  EXPECT_FALSE(EnsureExact(context, solver::Le(h * w * d, kExact), "/Pad"));
  EXPECT_TRUE(context.facts().empty());
  EXPECT_TRUE(EnsureExact(context, solver::Le(h * w, kExact), "/Pad"));
  EXPECT_EQ(solver::RangeOf(h).hi, 4096);
}

}  // namespace
}  // namespace tessera::onnx_import
