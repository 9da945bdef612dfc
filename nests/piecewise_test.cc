#include "nests/piecewise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tessera::nests {
namespace {

class PiecewiseTest : public ::testing::Test {
 protected:
  explicit PiecewiseTest(Theory theory = Theory::kReals) : t(theory) {}
  int X(int64_t i, ir::DType dtype = ir::DType::kF32) { return t.Input(0, i, dtype); }
  int F(double v) { return t.Literal(Value::OfFloat(Number::kF32, v)); }
  int I(int64_t v) { return t.Literal(Value::OfInt(Number::kI64, v)); }
  int Two(Function f, int a, int b) { return t.Apply(f, t.At(a).number, {a, b}); }
  int One(Function f, int a) { return t.Apply(f, t.At(a).number, {a}); }
  int Select(int c, int a, int b) { return t.Apply(Function::kSelect, t.At(a).number, {c, a, b}); }
  int Clamp(int x, double low, double high) {
    return Two(Function::kMin, Two(Function::kMax, x, F(low)), F(high));
  }
  bool Equal(int a, int b) { return FirstUnproved({{{a}}, {{b}}, {}, {}}, t).empty(); }
  Terms t;
};

TEST_F(PiecewiseTest, CasesOfReals) {
  const int x = X(0), zero = F(0);
  const int negated = One(Function::kNeg, x);
  EXPECT_TRUE(Equal(One(Function::kAbs, x), Two(Function::kMax, x, negated)));
  EXPECT_FALSE(Equal(One(Function::kAbs, x), Two(Function::kMin, x, negated)));
  EXPECT_TRUE(Equal(Clamp(Clamp(x, 0, 6), 0, 6), Clamp(x, 0, 6)));
  EXPECT_FALSE(Equal(Clamp(Clamp(x, 0, 5), 0, 6), Clamp(x, 0, 6)));
  // x max(0, x + 3) in two spellings; another constant is another function.
  const auto gated = [&](double scale) {
    const int shifted = Two(Function::kAdd, Two(Function::kMul, x, F(scale)), F(1));
    return Two(Function::kMul, x, Two(Function::kMax, shifted, zero));
  };
  const int doubled = Two(Function::kMax, Two(Function::kAdd, x, F(2)), zero);
  const int halved = Two(Function::kMul, Two(Function::kMul, x, doubled), F(0.5));
  EXPECT_TRUE(Equal(gated(0.5), halved));
  EXPECT_FALSE(Equal(gated(0.25), halved));
}

TEST_F(PiecewiseTest, FunctionsAreKnownByTheirArguments) {
  const int x = X(0), zero = F(0);
  const auto expm1 = [&](int v) { return Two(Function::kSub, One(Function::kExp, v), F(1)); };
  const int elu = Select(Two(Function::kGe, x, zero), x, expm1(x));
  const int sum =
      Two(Function::kAdd, Two(Function::kMax, x, zero), expm1(Two(Function::kMin, x, zero)));
  EXPECT_TRUE(Equal(elu, sum));
  EXPECT_FALSE(Equal(elu, Two(Function::kMax, x, expm1(x))));
  EXPECT_FALSE(Equal(One(Function::kExp, x), One(Function::kTanh, x)));
}

TEST_F(PiecewiseTest, WordsWrap) {
  const int i = X(0, ir::DType::kI64), n = X(1, ir::DType::kI32);
  const auto less = [&](int a) { return Two(Function::kLt, a, Two(Function::kAdd, a, I(1))); };
  EXPECT_FALSE(Equal(less(i), t.Literal(Value::OfInt(Number::kBool, 1))));  // the largest
  EXPECT_TRUE(Equal(less(n), t.Literal(Value::OfInt(Number::kBool, 1))));
  EXPECT_FALSE(Equal(t.Narrow(ir::DType::kI8, n), n));
}

TEST_F(PiecewiseTest, AnIndexThatIsRequiredToBeInsideIs) {
  const int i = X(0, ir::DType::kI64);
  const int wrapped = Select(Two(Function::kLt, i, I(0)), Two(Function::kAdd, i, I(3)), i);
  t.Require(wrapped, 3);
  const std::vector<int> given = t.TakeRequired();
  // Narrowed on the way: equal where it is an index, and as much is required.
  const int narrow = t.Narrow(ir::DType::kI8, wrapped);
  EXPECT_TRUE(FirstUnproved({{{wrapped}}, {{narrow}}, given, {}}, t).empty());
  EXPECT_FALSE(FirstUnproved({{{wrapped}}, {{narrow}}, {}, {}}, t).empty());
  t.Require(narrow, 3);
  const std::vector<int> same = t.TakeRequired();
  t.Require(narrow, 2);
  const std::vector<int> more = t.TakeRequired();
  EXPECT_TRUE(FirstUnproved({{{i}}, {{i}}, given, same}, t).empty());
  EXPECT_FALSE(FirstUnproved({{{i}}, {{i}}, given, more}, t).empty());
}

TEST_F(PiecewiseTest, ConstantsAreTheFloatsThatTheyAre) {
  const int x = X(0);
  EXPECT_FALSE(Equal(Two(Function::kDiv, x, F(6)), Two(Function::kMul, x, F(1.0f / 6))));
}

class RoundedTest : public PiecewiseTest {
 protected:
  RoundedTest() : PiecewiseTest(Theory::kRounded) {}
};

TEST_F(RoundedTest, ConstantsAreTheSimplestNumbersWhoseFloatsTheyAre) {
  const int x = X(0);
  const int sixth = Two(Function::kDiv, x, F(6));
  EXPECT_TRUE(Equal(sixth, Two(Function::kMul, x, F(1.0f / 6))));
  EXPECT_FALSE(Equal(sixth, Two(Function::kMul, x, F(0.1667f))));
  const auto scaled = [&](double v) { return Two(Function::kMul, x, F(v)); };
  EXPECT_TRUE(Equal(scaled(std::sqrt(0.5f)), Two(Function::kDiv, x, F(std::sqrt(2.0f)))));
  EXPECT_FALSE(Equal(scaled(std::sqrt(0.5f)), Two(Function::kDiv, x, F(std::sqrt(3.0f)))));
  EXPECT_TRUE(Equal(Two(Function::kMul, scaled(std::sqrt(0.5f)), F(std::sqrt(2.0f))), x));
}

class ExactTest : public PiecewiseTest {
 protected:
  ExactTest() : PiecewiseTest(Theory::kExact) {}
};

TEST_F(ExactTest, FloatsAreOfAnUnknownSort) {
  const int x = X(0), y = X(1), i = X(2, ir::DType::kI32);
  const int positive = Two(Function::kGt, i, I(0)), at_least = Two(Function::kGe, i, I(1));
  EXPECT_TRUE(Equal(Select(positive, x, y), Select(at_least, x, y)));
  EXPECT_FALSE(Equal(Select(positive, x, y), Select(positive, y, x)));
  EXPECT_FALSE(Equal(One(Function::kAbs, x), Two(Function::kMax, x, One(Function::kNeg, x))));
  EXPECT_FALSE(Equal(Two(Function::kEq, x, x), t.Literal(Value::OfInt(Number::kBool, 1))));
  EXPECT_FALSE(Equal(Two(Function::kAdd, x, F(0)), x));
}

}  // namespace
}  // namespace tessera::nests
