#include "nests/terms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tessera::nests {
namespace {

class TermsTest : public ::testing::TestWithParam<Theory> {
 protected:
  TermsTest() : t(GetParam()) {}
  int X(int64_t i, ir::DType dtype = ir::DType::kF32) { return t.Input(0, i, dtype); }
  int F(double v) { return t.Literal(Value::OfFloat(Number::kF32, v)); }
  int I(int64_t v) { return t.Literal(Value::OfInt(Number::kI64, v)); }
  int Two(Function f, int a, int b) { return t.Apply(f, Number::kF32, {a, b}); }
  int One(Function f, int a) { return t.Apply(f, Number::kF32, {a}); }
  int Whole(Function f, int a, int b) { return t.Apply(f, Number::kI64, {a, b}); }
  bool reals() const { return GetParam() == Theory::kReals; }
  Terms t;
};

TEST_P(TermsTest, WhatHoldsOfEveryFloat) {
  const int x = X(0), y = X(1);
  EXPECT_EQ(Two(Function::kAdd, x, y), Two(Function::kAdd, y, x));
  EXPECT_EQ(Two(Function::kMul, x, F(1)), x);
  EXPECT_EQ(Two(Function::kDiv, x, F(1)), x);
  EXPECT_EQ(Two(Function::kSub, x, F(0)), x);
  EXPECT_EQ(One(Function::kNeg, One(Function::kNeg, x)), x);
  EXPECT_EQ(One(Function::kFloor, One(Function::kCeil, x)), One(Function::kCeil, x));
  EXPECT_EQ(Two(Function::kMax, Two(Function::kMax, x, F(0)), F(0)), Two(Function::kMax, x, F(0)));
  EXPECT_EQ(t.Convert(Number::kF32, t.Convert(Number::kF64, x)), x);
  EXPECT_NE(x, y);
}

TEST_P(TermsTest, WhatHoldsOverTheRealsAlone) {
  const int x = X(0), y = X(1), z = X(2);
  const auto add = [&](int a, int b) { return Two(Function::kAdd, a, b); };
  EXPECT_EQ(add(add(x, y), z) == add(x, add(y, z)), reals());
  EXPECT_EQ(add(x, F(0)) == x, reals());  // -0 + 0 is 0
  EXPECT_EQ(Two(Function::kSub, x, x) == F(0), reals());
  EXPECT_EQ(Two(Function::kMul, x, F(0)) == F(0), reals());
  EXPECT_EQ(Two(Function::kMul, add(x, y), z) ==
                add(Two(Function::kMul, x, z), Two(Function::kMul, y, z)),
            reals());
  EXPECT_EQ(Two(Function::kMax, x, y) == Two(Function::kMax, y, x), reals());
  EXPECT_NE(Two(Function::kDiv, x, x), F(1));                 // 0 / 0
  EXPECT_NE(One(Function::kExp, One(Function::kLog, x)), x);  // of what is not positive
  EXPECT_NE(Two(Function::kSub, x, y), Two(Function::kSub, y, x));
}

TEST_P(TermsTest, IntegersWrap) {
  const int a = X(0, ir::DType::kI64), b = X(1, ir::DType::kI64);
  const auto add = [&](int x, int y) { return Whole(Function::kAdd, x, y); };
  EXPECT_EQ(add(add(a, b), I(1)), add(a, add(I(1), b)));
  EXPECT_EQ(Whole(Function::kSub, a, a), I(0));
  EXPECT_EQ(Whole(Function::kMul, a, I(0)), I(0));
  EXPECT_EQ(add(I(std::numeric_limits<int64_t>::max()), I(1)),
            I(std::numeric_limits<int64_t>::min()));
  // Narrowed on the way or not.
  const int c = X(2, ir::DType::kI8), d = X(3, ir::DType::kI8);
  const auto narrow = [&](int x) { return t.Narrow(ir::DType::kI8, x); };
  EXPECT_EQ(narrow(add(narrow(add(c, d)), d)), narrow(add(c, Whole(Function::kMul, d, I(2)))));
  EXPECT_EQ(narrow(c), c);
  EXPECT_NE(narrow(a), a);
  EXPECT_EQ(narrow(I(300)), I(44));
  EXPECT_NE(t.Convert(Number::kI64, t.Convert(Number::kF32, a)), a);
}

TEST_P(TermsTest, ChoicesAndComparisons) {
  const int x = X(0), y = X(1), c = X(2, ir::DType::kBool);
  const auto select = [&](int p, int a, int b) {
    return t.Apply(Function::kSelect, Number::kF32, {p, a, b});
  };
  EXPECT_EQ(select(c, x, x), x);
  EXPECT_EQ(select(t.Literal(Value::OfInt(Number::kBool, 1)), x, y), x);
  EXPECT_EQ(select(t.Apply(Function::kNot, Number::kBool, {c}), x, y), select(c, y, x));
  EXPECT_EQ(t.Apply(Function::kGt, Number::kF32, {x, y}),
            t.Apply(Function::kLt, Number::kF32, {y, x}));
  EXPECT_NE(t.Apply(Function::kGt, Number::kF32, {x, y}),
            t.Apply(Function::kGe, Number::kF32, {x, y}));
}

TEST_P(TermsTest, UnknownFunctionsAreKnownByTheirArguments) {
  EXPECT_EQ(t.Opaque("f", Number::kF32, {X(0)}), t.Opaque("f", Number::kF32, {X(0)}));
  EXPECT_NE(t.Opaque("f", Number::kF32, {X(0)}), t.Opaque("f", Number::kF32, {X(1)}));
  EXPECT_NE(t.Opaque("f", Number::kF32, {X(0)}), t.Opaque("g", Number::kF32, {X(0)}));
}

TEST_P(TermsTest, FunctionsThatOthersDefine) {
  const int x = X(0), half = F(0.5);
  const auto exp = [&](int v) { return One(Function::kExp, v); };
  const int sum = Two(Function::kAdd, exp(x), exp(One(Function::kNeg, x)));
  EXPECT_EQ(One(Function::kCosh, x) == Two(Function::kMul, sum, half), reals());
  EXPECT_EQ(
      One(Function::kTan, x) == Two(Function::kDiv, One(Function::kSin, x), One(Function::kCos, x)),
      reals());
  EXPECT_EQ(One(Function::kLog, exp(x)) == x, reals());
  // The logarithm of a product of what may be negative is no sum.
  const int y = X(1);
  EXPECT_NE(One(Function::kLog, Two(Function::kMul, x, y)),
            Two(Function::kAdd, One(Function::kLog, x), One(Function::kLog, y)));
  EXPECT_EQ(One(Function::kRound, F(2.5)), F(2));
  EXPECT_EQ(One(Function::kFloor, F(-2.5)), F(-3));
}

TEST_P(TermsTest, ConversionsOfSumsThatDoNotWrap) {
  const int a = X(0, ir::DType::kI8), b = X(1, ir::DType::kI8), i = X(2, ir::DType::kI64);
  const auto real = [&](int v) { return t.Convert(Number::kF32, v); };
  EXPECT_EQ(real(Whole(Function::kSub, a, b)) == Two(Function::kSub, real(a), real(b)), reals());
  EXPECT_NE(real(Whole(Function::kAdd, i, I(1))), Two(Function::kAdd, real(i), F(1)));
}

INSTANTIATE_TEST_SUITE_P(Theories, TermsTest, ::testing::Values(Theory::kExact, Theory::kReals));

TEST(Rational, IsExactOrNothing) {
  EXPECT_EQ(*Rational::Of(0.5), *Rational(2).Reciprocal());
  EXPECT_EQ(*Mul(*Rational::Of(0.1), 10) == Rational(1), false);  // 0.1 is no tenth
  EXPECT_FALSE(Rational::Of(std::numeric_limits<double>::infinity()).has_value());
  EXPECT_FALSE(Rational(0).Reciprocal().has_value());
  Rational power = *Rational::Of(std::ldexp(1, 60));
  power = *Mul(power, power);
  EXPECT_FALSE(Mul(power, power).has_value());
}

}  // namespace
}  // namespace tessera::nests
