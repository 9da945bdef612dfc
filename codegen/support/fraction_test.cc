// Fractions against the float arithmetic they stand for: where `needs` holds, the floats of a
// machine yield the same whole numbers.
#include "codegen/support/fraction.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "solver/expr.h"

namespace tessera::kernels {
namespace {

using ir::DType;

int64_t ValueAt(const Expr& e, int64_t h) {
  const absl::StatusOr<int64_t> value = solver::Evaluate(e, {{"H", h}});
  EXPECT_TRUE(value.ok()) << value.status() << " of " << e.ToString() << " at " << h;
  return value.value_or(-1);
}

// Small sizes, and those around where f32 ceases to tell neighbours apart.
std::vector<int64_t> Sizes() {
  std::vector<int64_t> sizes;
  for (int64_t h = 1; h < 300; ++h) sizes.push_back(h);
  for (int64_t h = (int64_t{1} << 24) - 200; h < (int64_t{1} << 24) + 50; ++h) sizes.push_back(h);
  for (int64_t h = 5'000'003; h < 16'000'000; h += 400'009) sizes.push_back(h);
  return sizes;
}

// f over fractions and g over floats yield the same wherever f says so; where `least` or fewer
// sizes qualify, f says too little.
template <class F, class G>
void Agree(F f, G g, size_t least) {
  solver::Context context;
  const Fraction h = Convert(Fraction(context.Symbol("H")), DType::kF32);
  const Fraction size = Convert(f(h), DType::kI64);
  ASSERT_FALSE(size.num.IsInvalid());
  size_t compared = 0;
  for (int64_t at : Sizes()) {
    if (ValueAt(size.needs, at) == 0) continue;
    ++compared;
    ASSERT_EQ(ValueAt(size.num, at), static_cast<int64_t>(g(static_cast<float>(at)))) << at;
  }
  EXPECT_GE(compared, least);
}

TEST(Fraction, QuotientsKeepFloorAndCeiling) {
  for (int64_t d = 1; d <= 70; ++d) {
    const Fraction by = FractionOf(static_cast<double>(d), DType::kF32);
    const float with = static_cast<float>(d);
    Agree([&](const Fraction& h) { return Floor(Div(h, by)); },
          [&](float h) { return std::floor(h / with); }, 400);
    Agree([&](const Fraction& h) { return Mul(Ceil(Div(h, by)), by); },
          [&](float h) { return std::ceil(h / with) * with; }, 400);
    Agree([&](const Fraction& h) { return Div(Neg(h), by); }, [&](float h) { return -h / with; },
          400);
  }
}

TEST(Fraction, DyadicFactorsAreExact) {
  for (double factor : {0.5, 0.25, 1.5, 2.0, 0.75, 3.0, 0.125}) {
    const Fraction by = FractionOf(factor, DType::kF32);
    const float with = static_cast<float>(factor);
    Agree([&](const Fraction& h) { return Floor(Mul(h, by)); },
          [&](float h) { return std::floor(h * with); }, 300);
    Agree([&](const Fraction& h) { return Round(Mul(h, by)); },
          [&](float h) { return std::nearbyint(h * with); }, 300);
    Agree([&](const Fraction& h) { return Max(Ceil(Mul(Sub(h, Fraction(8)), by)), Fraction(1)); },
          [&](float h) { return std::fmax(std::ceil((h - 8) * with), 1.0f); }, 300);
  }
}

// 0.7 in f32 is below 0.7: 10 * 0.7 is 7 in floats and below 7 without rounding.
TEST(Fraction, OtherFactorsAreThoseOfFloats) {
  solver::Context context;
  const Fraction h = Convert(Fraction(context.Symbol("H")), DType::kF32);
  const std::pair<float, int64_t> kFactors[] = {
      {0.7f, 65000}, {0.1f, 65000},     {0.35f, 65000},  {1.1f, 65000},  {1.0f / 3, 65000},
      {2.3f, 65000}, {2.0f / 3, 65000}, {0.9f, 65000},   {-0.7f, 65000}, {0.333f, 40000},
      {1.7f, 65000}, {1.2345f, 3900},   {0.0123f, 9900}, {1.0f, 65000}};
  for (const auto& [factor, least] : kFactors) {
    const Fraction product = Mul(h, FractionOf(factor, DType::kF32));
    const Fraction below = Floor(product), above = Ceil(product);
    int64_t reached = 0;
    for (int64_t at = 1; at <= 1 << 16; at += at < 5000 ? 1 : 7) {
      if (ValueAt(product.needs, at) == 0) continue;
      reached = at;
      const float exact = static_cast<float>(at) * factor;
      ASSERT_EQ(ValueAt(below.num, at), static_cast<int64_t>(std::floor(exact))) << at << factor;
      ASSERT_EQ(ValueAt(above.num, at), static_cast<int64_t>(std::ceil(exact))) << at << factor;
    }
    EXPECT_GT(reached, least) << factor;
  }
  const Fraction seven = Floor(Mul(h, FractionOf(0.7f, DType::kF32)));
  EXPECT_EQ(ValueAt(seven.num, 10), 7);
}

TEST(Fraction, OtherDivisorsAreThoseOfFloats) {
  solver::Context context;
  const Fraction h = Convert(Fraction(context.Symbol("H")), DType::kF32);
  const std::pair<float, int64_t> kDivisors[] = {{0.7f, 65000},     {0.1f, 65000}, {1.1f, 65000},
                                                 {1.0f / 3, 65000}, {2.3f, 65000}, {0.9f, 65000},
                                                 {-0.7f, 65000},    {14.2f, 65000}};
  for (const auto& [divisor, least] : kDivisors) {
    const Fraction quotient = Div(h, FractionOf(divisor, DType::kF32));
    const Fraction below = Floor(quotient), above = Ceil(quotient);
    int64_t reached = 0;
    for (int64_t at = 1; at <= 1 << 16; at += at < 5000 ? 1 : 7) {
      if (ValueAt(quotient.needs, at) == 0) continue;
      reached = at;
      const float exact = static_cast<float>(at) / divisor;
      ASSERT_EQ(ValueAt(below.num, at), static_cast<int64_t>(std::floor(exact))) << at << divisor;
      ASSERT_EQ(ValueAt(above.num, at), static_cast<int64_t>(std::ceil(exact))) << at << divisor;
    }
    EXPECT_GT(reached, least) << divisor;
  }
  // 3 by it is rounded up to 10 and 9 is not to 30: no fraction does both.
  EXPECT_EQ(ValueAt(Div(h, FractionOf(0.3f, DType::kF32)).needs, 3), 0);
}

TEST(Fraction, RoundedOnlyOnce) {
  solver::Context context;
  const Fraction h = Convert(Fraction(context.Symbol("H")), DType::kF32);
  const Fraction third = Div(h, Fraction(3));
  EXPECT_TRUE(Mul(third, Fraction(3)).num.IsInvalid());
  EXPECT_TRUE(Eq(third, Fraction(1)).IsInvalid());
  EXPECT_TRUE(Div(h, Sub(h, Fraction(1))).num.IsInvalid());  // H = 1
  // What is whole is not rounded.
  EXPECT_FALSE(Div(Mul(h, Fraction(6)), Fraction(3)).rounded);
  EXPECT_EQ(Div(h, h).num, Expr(1));
}

TEST(Fraction, DTypes) {
  solver::Context context;
  const Expr h = context.Symbol("H");
  EXPECT_EQ(ValueAt(Convert(Fraction(h), DType::kF16).needs, 2048), 1);
  EXPECT_EQ(ValueAt(Convert(Fraction(h), DType::kF16).needs, 2049), 0);
  EXPECT_EQ(ValueAt(Convert(Fraction(h), DType::kBF16).needs, 257), 0);
  EXPECT_EQ(Convert(Fraction(h), DType::kF64).needs, Expr(1));
  EXPECT_EQ(ValueAt(Convert(Fraction(h - 3), DType::kBool).num, 3), 0);
  EXPECT_TRUE(Convert(Div(Convert(Fraction(h), DType::kF64), Fraction(3)), DType::kF32)
                  .num.IsInvalid());  // would be rounded twice
  EXPECT_TRUE(FractionOf(1e-30, DType::kF32).num.IsInvalid());
  EXPECT_TRUE(FractionOf(INFINITY, DType::kF32).num.IsInvalid());
  EXPECT_EQ(Mul(FractionOf(0.375, DType::kF32), Fraction(8)).num, Expr(3));
}

// The root of a square is exact, and the float nearest to it the same; of anything else it is not
// known.
TEST(Fraction, RootsOfSquares) {
  solver::Context context;
  const Expr h = context.Symbol("H"), w = context.Symbol("W");
  const Fraction quarter =
      Mul(Convert(Fraction(4 * h * h * w * w), DType::kF32), FractionOf(0.25, DType::kF32));
  const Fraction side = Sqrt(quarter);
  EXPECT_EQ(side.num, h * w);
  EXPECT_EQ(side.den, Expr(1));
  EXPECT_EQ(solver::Evaluate(side.needs, {{"H", 64}, {"W", 32}}).value_or(-1), 1);
  EXPECT_EQ(solver::Evaluate(side.needs, {{"H", 4096}, {"W", 4}}).value_or(-1), 0);
  EXPECT_EQ(Sqrt(FractionOf(2.25, DType::kF32)).num, Expr(3));
  for (const Expr& other : {h, h * h + 1, h * h * h, h * w, 2 * h * h, h * h - w * w}) {
    EXPECT_TRUE(Sqrt(Convert(Fraction(other), DType::kF32)).num.IsInvalid()) << other.ToString();
  }
  EXPECT_TRUE(Sqrt(FractionOf(2.0, DType::kF32)).num.IsInvalid());
  EXPECT_TRUE(Sqrt(FractionOf(-4.0, DType::kF32)).num.IsInvalid());
}

TEST(Fraction, PowersByKnownWholeExponents) {
  solver::Context context;
  const Expr h = context.Symbol("H");
  const Fraction real = Convert(Fraction(h), DType::kF32);
  EXPECT_EQ(Pow(Fraction(h), Fraction(3)).num, h * h * h);
  EXPECT_EQ(Pow(real, FractionOf(2, DType::kF32)).num, h * h);
  EXPECT_EQ(ValueAt(Pow(real, FractionOf(2, DType::kF32)).needs, 4096), 1);
  EXPECT_EQ(ValueAt(Pow(real, FractionOf(2, DType::kF32)).needs, 4097), 0);
  EXPECT_EQ(Pow(Div(real, Fraction(2)), FractionOf(2, DType::kF32)).den, Expr(4));
  EXPECT_EQ(Pow(Fraction(h), Fraction(0)).num, Expr(1));
  EXPECT_EQ(Pow(Convert(Fraction(h * h), DType::kF32), FractionOf(0.5, DType::kF32)).num, h);
  for (const Fraction& exponent :
       {Fraction(-1), Fraction(h), Fraction(9), FractionOf(1.5, DType::kF32)})
    EXPECT_TRUE(Pow(real, exponent).num.IsInvalid());
}

// Sizes in proportion come to a number.
TEST(Fraction, QuotientsOfSizesInProportion) {
  solver::Context context;
  const auto real = [](const Expr& e) { return Convert(Fraction(e), DType::kF32); };
  const Expr h = context.Symbol("H");
  const Fraction up = Div(real(2 * h), real(h)), down = Div(real(2 * h), real(6 * h));
  EXPECT_EQ(up.num, Expr(2));
  EXPECT_EQ(up.den, Expr(1));
  EXPECT_FALSE(up.rounded);
  EXPECT_EQ(down.num, Expr(1));
  EXPECT_EQ(down.den, Expr(3));
  EXPECT_TRUE(down.rounded);
}

// A quotient times its divisor is off by roundings: its nearest integer is known, its floor is not.
TEST(Fraction, ProductsThatUndoAQuotientAreNearWhatTheyWere) {
  solver::Context context;
  const auto real = [](const Expr& e) { return Convert(Fraction(e), DType::kF32); };
  const Expr h = context.Symbol("H"), w = context.Symbol("W");
  const Fraction product = Mul(Div(real(w), real(h)), real(h));
  const Fraction size = Convert(Round(product), DType::kI64);
  EXPECT_EQ(size.num, w);
  size_t below = 0;
  for (int64_t at = 1; at < 3000; at += 7) {
    for (int64_t to : {int64_t{1}, int64_t{7}, int64_t{224}, at * 3 + 1, int64_t{2'097'151}}) {
      const float back = static_cast<float>(to) / static_cast<float>(at) * static_cast<float>(at);
      if (solver::Evaluate(size.needs, {{"H", at}, {"W", to}}).value_or(0) == 0) continue;
      EXPECT_EQ(std::nearbyint(back), static_cast<float>(to)) << at << " " << to;
      below += back < static_cast<float>(to) ? 1 : 0;
    }
  }
  EXPECT_GT(below, 0u);
  EXPECT_EQ(solver::Evaluate(size.needs, {{"H", 3}, {"W", 4'194'304}}).value_or(-1), 0);
  for (const Fraction& other :
       {Floor(product), Ceil(product), Trunc(product), Convert(product, DType::kI64),
        Convert(product, DType::kBool), Add(product, real(w)), Mul(product, real(w)),
        Max(product, FractionOf(0.5, DType::kF32)), Mul(Div(real(w), real(h)), real(w)),
        Mul(Div(real(h), Convert(Fraction(3), DType::kF32)), Convert(Fraction(3), DType::kF32))})
    EXPECT_TRUE(other.num.IsInvalid());
}

TEST(Fraction, IntegersTruncate) {
  solver::Context context;
  const Expr h = context.Symbol("H");
  const Fraction quotient = Div(Fraction(h - 5), Fraction(2));
  EXPECT_EQ(ValueAt(quotient.num, 2), -1);
  EXPECT_EQ(quotient.den, Expr(1));
}

// What follows the index keeps doing so under sums and multiples; of anything else nothing is said.
TEST(Fraction, FollowsTheIndexWhileItIsAffine) {
  solver::Context context;
  const Expr h = context.Symbol("H");
  Fraction row(Expr(3)), column(h);
  row.steps = {Expr(0), Expr(1)};
  column.steps = {Expr(2), Expr(0)};
  const Fraction sum = Add(Mul(row, Fraction(h)), Neg(column));
  EXPECT_EQ(sum.num, h * 2);
  EXPECT_EQ(sum.steps, (std::vector<Expr>{Expr(-2), h}));
  EXPECT_EQ(Convert(sum, DType::kI32).steps, sum.steps);
  EXPECT_TRUE(Cast<Expr>(sum).IsInvalid());
  for (const Fraction& other :
       {Mul(row, column), Div(row, Fraction(2)), PyMod(row, Fraction(2)), Abs(row),
        Min(row, Fraction(4)), Convert(row, DType::kF32), Convert(row, DType::kBool)}) {
    EXPECT_TRUE(other.num.IsInvalid());
  }
  EXPECT_TRUE(Lt(row, Fraction(4)).IsInvalid());
}

}  // namespace
}  // namespace tessera::kernels
