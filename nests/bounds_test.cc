// Definitions that read or write outside are found without running them.
#include "nests/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "nests/builder.h"
#include "nests/cost.h"
#include "nests/elements.h"

namespace tessera::nests {
namespace {

struct Vectors {
  Vectors() : n(context.Symbol("N")), m(context.Symbol("M")), b(context) {
    x = b.Operand("x", ir::DType::kF32, Number::kF32, {n}, true);
  }
  Access::Status Worst() {
    const auto computation = std::move(b).Finish();
    EXPECT_TRUE(computation.ok()) << computation.status();
    Access::Status worst = Access::kProved;
    for (const Access& access : CheckBounds(*computation, context)) {
      worst = std::max(worst, access.status);
      text += access.text + ": " + access.reason + "\n";
    }
    return worst;
  }
  solver::Context context;
  Expr n, m;
  Builder b;
  TensorId x;
  std::string text;
};

// y[i] = x[i + offset], y of `length` entries.
Access::Status Shifted(int64_t offset, int64_t shorter, Scalar otherwise = {}) {
  Vectors v;
  const TensorId y = v.b.Result("y", ir::DType::kF32, Number::kF32, {v.n - shorter});
  const std::vector<Expr> i = v.b.Open(y, v.b.At(y).dims, {{"i"}});
  v.b.Assign(v.b.Read(v.x, {i[0] + offset}, otherwise));
  return v.Worst();
}

TEST(Bounds, AReadBeyondTheEndIsRefuted) {
  EXPECT_EQ(Shifted(0, 0), Access::kProved);
  EXPECT_EQ(Shifted(1, 0), Access::kRefuted);
  EXPECT_EQ(Shifted(-1, 0), Access::kRefuted);
  EXPECT_EQ(Shifted(1, 1), Access::kProved);
  EXPECT_EQ(Shifted(2, 1), Access::kRefuted);
  EXPECT_EQ(Shifted(1, 0, Lit(Number::kF32, 0.0)), Access::kProved);
}

TEST(Bounds, TheCounterexampleIsNamed) {
  Vectors v;
  const TensorId y = v.b.Result("y", ir::DType::kF32, Number::kF32, {v.n});
  const std::vector<Expr> i = v.b.Open(y, v.b.At(y).dims, {{"i"}});
  v.b.Assign(v.b.Read(v.x, {i[0] + 1}));
  EXPECT_EQ(v.Worst(), Access::kRefuted);
  EXPECT_NE(v.text.find("is false for "), std::string::npos) << v.text;
}

TEST(Bounds, AChoiceGuardsWhatItTakes) {
  Vectors v;
  const TensorId y = v.b.Result("y", ir::DType::kF32, Number::kF32, {v.n});
  const std::vector<Expr> i = v.b.Open(y, v.b.At(y).dims, {{"i"}});
  v.b.Assign(
      Scalar::Choose(solver::Gt(i[0], 0), v.b.Read(v.x, {i[0] - 1}), Lit(Number::kF32, 0.0)));
  EXPECT_EQ(v.Worst(), Access::kProved) << v.text;
}

TEST(Bounds, ReductionsBoundTheirAxes) {
  for (const int64_t extra : {0, 1}) {
    Vectors v;
    const TensorId y = v.b.Result("y", ir::DType::kF32, Number::kF32, {});
    v.b.Open(y, {}, {});
    Fold sum(v.b, Reduction::kSum, Number::kF32);
    const Expr k = sum.Open("k", v.n + extra);
    sum.Add(v.b.Read(v.x, {k}));
    sum.Close(1);
    v.b.Assign(sum.Result());
    EXPECT_EQ(v.Worst(), extra == 0 ? Access::kProved : Access::kRefuted) << v.text;
  }
}

TEST(Bounds, AnIndexThatIsDataIsOneUnlessItIsHeldInside) {
  for (const bool clamped : {false, true}) {
    Vectors v;
    const TensorId at = v.b.Operand("at", ir::DType::kI64, Number::kI64, {v.n}, true);
    const TensorId y = v.b.Result("y", ir::DType::kF32, Number::kF32, {v.n});
    const std::vector<Expr> i = v.b.Open(y, v.b.At(y).dims, {{"i"}});
    Scalar index = v.b.Read(at, {i[0]});
    if (clamped)
      index = kernels::Min(kernels::Max(index, Lit(Number::kI64, int64_t{0})),
                           OfIndex(Number::kI64, v.n - 1));
    v.b.Assign(v.b.Read(v.x, {index}));
    EXPECT_EQ(v.Worst(), clamped ? Access::kProved : Access::kData) << v.text;
  }
}

// y[i] = x[place[i]], where place[i] is the first of n + fewer positions of which something holds,
// or n + last.
Access::Status Placed(int64_t fewer, int64_t last) {
  Vectors v;
  const TensorId place = v.b.Temp("place", Number::kI64, {v.n});
  const std::vector<Expr> i = v.b.Open(place, {v.n}, {{"i"}});
  Fold first(v.b, Reduction::kMin, Number::kI64);
  const Expr j = first.Open("j", v.n + fewer);
  first.Add(kernels::Select(kernels::Gt(v.b.Read(v.x, {i[0]}), Lit(Number::kF32, 0.0)),
                            OfIndex(Number::kI64, j), OfIndex(Number::kI64, v.n + last)));
  first.Close(1);
  v.b.Assign(first.Result());
  const TensorId y = v.b.Result("y", ir::DType::kF32, Number::kF32, {v.n});
  const std::vector<Expr> o = v.b.Open(y, {v.n}, {{"j"}});
  v.b.Assign(v.b.Read(v.x, {v.b.Read(place, {o[0]})}));
  return v.Worst();
}

TEST(Bounds, WhatWasStoredIsInsideWhereItsFormSaysSo) {
  EXPECT_EQ(Placed(0, -1), Access::kProved);
  EXPECT_EQ(Placed(0, 0), Access::kData);
  EXPECT_EQ(Placed(-1, -1), Access::kData);  // the least of nothing is no position
}

TEST(Bounds, SumsOfWhatIsHeldAreHeld) {
  for (const int64_t more : {0, 1}) {
    Vectors v;
    const TensorId at = v.b.Operand("at", ir::DType::kI64, Number::kI64, {v.n}, true);
    const TensorId y = v.b.Result("y", ir::DType::kF32, Number::kF32, {v.n});
    const std::vector<Expr> i = v.b.Open(y, v.b.At(y).dims, {{"i"}});
    const auto number = [](const Expr& e) { return OfIndex(Number::kI64, e); };
    // n - 1 - (0 ... n - 1) + more
    const Scalar held =
        kernels::Min(kernels::Max(v.b.Read(at, {i[0]}), number(0)), number(v.n - 1));
    v.b.Assign(v.b.Read(v.x, {kernels::Add(kernels::Sub(number(v.n - 1), held), number(more))}));
    EXPECT_EQ(v.Worst(), more == 0 ? Access::kProved : Access::kData) << v.text;
  }
}

// Two nests that write [0, N) and [gap + N, N + M) of a result of N + M entries.
Access::Status Joined(int64_t gap) {
  Vectors v;
  const TensorId y = v.b.Result("y", ir::DType::kF32, Number::kF32, {v.n + v.m});
  v.b.Open(y, {v.n}, {{"i"}});
  v.b.Assign(Lit(Number::kF32, 1.0));
  v.b.Open(y, {v.m}, {{"i"}});
  v.b.Shift(0, v.n + gap);
  v.b.Assign(Lit(Number::kF32, 2.0));
  return v.Worst();
}

TEST(Bounds, NestsThatWriteOneResultTileIt) {
  EXPECT_EQ(Joined(0), Access::kProved);
  EXPECT_EQ(Joined(1), Access::kRefuted);
  EXPECT_EQ(Joined(-1), Access::kRefuted);
}

TEST(Nests, CostsAreExpressionsOfSizes) {
  Vectors v;
  const TensorId y = v.b.Result("y", ir::DType::kF32, Number::kF32, {v.m});
  v.b.Open(y, {v.m}, {{"i"}});
  Fold sum(v.b, Reduction::kSum, Number::kF32);
  const Expr k = sum.Open("k", v.n);
  const Scalar element = v.b.Read(v.x, {k});
  sum.Add(kernels::Mul(element, element));
  sum.Close(1);
  v.b.Assign(sum.Result());
  const auto computation = std::move(v.b).Finish();
  ASSERT_TRUE(computation.ok());
  const Cost cost = CostOf(*computation);
  EXPECT_EQ(cost.bytes_read, 4 * v.n);
  EXPECT_EQ(cost.bytes_written, 4 * v.m);
  EXPECT_EQ(cost.flops, 2 * v.n * v.m);
  EXPECT_EQ(cost.loads, 2 * v.n * v.m);
}

TEST(Nests, NamesOfAxesDoNotMatter) {
  solver::Context context;
  const Expr n = context.Symbol("N");
  const auto built = [&](const char* name) {
    Builder b(context);
    const TensorId x = b.Operand("x", ir::DType::kF32, Number::kF32, {n}, true);
    const TensorId y = b.Result("y", ir::DType::kF32, Number::kF32, {n});
    const std::vector<Expr> i = b.Open(y, {n}, {{name}});
    b.Assign(b.Read(x, {i[0]}));
    return *std::move(b).Finish();
  };
  const Computation a = built("i"), b = built("j");
  EXPECT_FALSE(Same(a, b));
  EXPECT_TRUE(Same(Canonical(a, context), Canonical(b, context)));
  EXPECT_EQ(HashOf(Canonical(a, context)), HashOf(Canonical(b, context)));
  EXPECT_EQ(ToString(a), "in x : f32[N]\nout y : f32[N]\nfor i' in 0..N: y[i'] = x[i']\n");
}

}  // namespace
}  // namespace tessera::nests
