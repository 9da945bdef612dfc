#include "solver/expr.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "solver/syntax.h"

namespace tessera::solver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

Expr Anything(Context& context, const char* name) {
  return *context.Declare(name, Range{}, {}, "the test");
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(Expr, IntegersAreMathematical) {
  EXPECT_EQ(Expr(7) - 9, Expr(-2));
  EXPECT_EQ(FloorDiv(-7, 2), Expr(-4));
  EXPECT_EQ(CeilDiv(-7, 2), Expr(-3));
  EXPECT_EQ(TruncDiv(-7, 2), Expr(-3));
  EXPECT_EQ(Mod(-7, 4), Expr(1));
  EXPECT_EQ(Abs(-7), Expr(7));
  EXPECT_EQ(FloorDiv(kMin, 1), Expr(kMin));
  EXPECT_EQ(Mod(kMin, kMax), Expr(kMax - 1));
}

TEST(Expr, OverflowIsInvalidNotWrapped) {
  Context context;
  const Expr x = context.Symbol("x");
  for (const Expr& e :
       {Expr(kMax) + 1, Expr(kMin) - 1, Expr(kMax) * 2, -Expr(kMin), Abs(kMin), Expr(kMin) * -1,
        x * kMax * 2, (x + kMax) * (x + kMax), (x + kMax) + 1, x * kMin - x, CeilDiv(kMin, 1) - 1,
        Ite(Ge(x, 3), kMax, -2) + kMin - kMax}) {
    EXPECT_TRUE(e.IsInvalid()) << e.ToString();
  }
}

TEST(Expr, LongSumsThatShareTermsDifferByTheOthers) {
  Context context;
  const Expr x = Anything(context, "x");
  const Expr y = Anything(context, "y");
  Expr sum = 0;
  for (int i = 0; i < 2000; ++i) {
    sum = sum + Anything(context, ("s" + std::to_string(i)).c_str());
    if (i % 100 != 0) continue;
    EXPECT_EQ((sum + x) - (sum + y), x - y) << i;
  }
}

TEST(Expr, ChoicesByRangeNeedNoDifference) {
  Context context;
  const Expr x = context.Symbol("x");
  const Expr any = *context.Declare("any", Range{}, {}, "");
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Max(x + 3, kLowest), x + 3);
  EXPECT_EQ(Max(kLowest, 7 - x), 7 - x);
  EXPECT_EQ(Min(x, kLowest), Expr(kLowest));
  EXPECT_EQ(Min(kHighest, x), x);
  EXPECT_EQ(Max(x, 1), x);
  EXPECT_EQ(Ge(x, kLowest), Expr(1));
  EXPECT_EQ(Le(x, kLowest), Expr(0));
  EXPECT_EQ(Eq(x, kLowest), Expr(0));
  // A range without an end is about integers beyond 64 bits, too.
  EXPECT_TRUE(Max(any, kLowest).IsInvalid());
  EXPECT_TRUE(Eq(any, kLowest).IsInvalid());
}

TEST(Expr, InvalidSpreads) {
  Context context;
  const Expr x = context.Symbol("x");
  const Expr bad = Expr::Invalid();
  for (const Expr& e :
       {bad + 1, 1 - bad, bad * 0, FloorDiv(bad, 2), FloorDiv(x, bad), Min(bad, x), Max(x, bad),
        Eq(bad, bad), Ge(x, bad), And(Ge(x, 2), bad), Or(bad, Ge(x, 2)), Not(bad), Ite(bad, 1, 2),
        Ite(Ge(x, 2), bad, 1), Mod(x, bad), Abs(bad), TruncDiv(bad, x)}) {
    EXPECT_TRUE(e.IsInvalid()) << e.ToString();
  }
  EXPECT_EQ(bad.ToString(), "invalid");
  EXPECT_EQ(bad.context(), nullptr);
  EXPECT_FALSE(Evaluate(bad, {}).ok());
}

TEST(Expr, ConstantDivisorsArePositive) {
  Context context;
  const Expr x = context.Symbol("x");
  for (int64_t d : {int64_t{0}, int64_t{-1}, kMin}) {
    EXPECT_TRUE(FloorDiv(x, d).IsInvalid());
    EXPECT_TRUE(FloorDiv(5, d).IsInvalid());
    EXPECT_TRUE(Mod(x, d).IsInvalid());
    EXPECT_TRUE(TruncDiv(x, d).IsInvalid());
  }
  EXPECT_TRUE(FloorDiv(x, x - x).IsInvalid());
}

TEST(Expr, OfTwoContextsAreNotMixed) {
  Context a;
  Context b;
  const Expr x = a.Symbol("x");
  const Expr y = b.Symbol("y");
  for (const Expr& e : {x + y, x * y, FloorDiv(x, y), Min(x, y), Eq(x, y), Ge(x, y),
                        And(Ge(x, 2), Ge(y, 2)), Ite(Ge(x, 2), y, 1)}) {
    EXPECT_TRUE(e.IsInvalid());
  }
  EXPECT_EQ(x.context(), &a);
  EXPECT_EQ(Expr(3).context(), nullptr);
  EXPECT_FALSE(a.Assume(Ge(y, 2), "").ok());
}

TEST(Expr, EqualFormsAreOneNode) {
  Context context;
  const Expr x = context.Symbol("x");
  const Expr y = context.Symbol("y");
  EXPECT_EQ((x + y) * (x - y), x * x - y * y);
  EXPECT_EQ(FloorDiv(FloorDiv(x, 2), 3), FloorDiv(x, 6));
  EXPECT_EQ(Mod(x + 8, 4), Mod(x, 4));
  EXPECT_EQ(FloorDiv(x * y + 2 * x + 4 * y * x, x), 5 * y + 2);
  EXPECT_EQ(Max(x, y), Max(y, x));
  EXPECT_EQ(Min(x + 1, x), x);
  EXPECT_EQ(Lt(x, y), Not(Ge(x, y)));
  EXPECT_EQ(Or(Ge(x, 2), Lt(x, 2)), Expr(1));
  EXPECT_EQ(And(Ge(x, 2), Not(Ge(x, 2))), Expr(0));
  EXPECT_EQ(x - x, Expr(0));
}

TEST(Expr, PadToAMultipleIsAMultiple) {
  Context context;
  const Expr e = Anything(context, "E");
  const Expr padded = e + Mod(16 - Mod(e, 16), 16);
  EXPECT_EQ(padded, 16 * FloorDiv(e + 15, 16));
  for (int64_t m : {2, 4, 8, 16}) EXPECT_EQ(Mod(padded, m), Expr(0));
  EXPECT_NE(Mod(padded, 32), Expr(0));
}

TEST(Expr, HugeExpressionsStayWithinBounds) {
  Context context;
  Expr sum = 0;
  for (int i = 0; i < 3000; ++i) sum += FloorDiv(context.Symbol("s" + std::to_string(i)), 7) * i;
  Assignment assignment;
  int64_t expected = 0;
  for (int i = 0; i < 3000; ++i) {
    assignment["s" + std::to_string(i)] = i + 1;
    expected += (i + 1) / 7 * i;
  }
  EXPECT_THAT(Evaluate(sum, assignment).value(), expected);
  // A power too high to expand keeps its value.
  Expr product = 1;
  for (int i = 0; i < 40; ++i) product *= context.Symbol("s0") + i % 2;
  EXPECT_EQ(Evaluate(product, {{"s0", 1}}).value(), 1 << 20);
  // Depth is refused, not a crash.
  Expr deep = context.Symbol("s1");
  for (int i = 0; i < 5000; ++i) deep = FloorDiv(deep * deep + i, context.Symbol("s2"));
  EXPECT_TRUE(deep.IsInvalid());
}

TEST(Expr, ViewShowsTheForm) {
  Context context;
  const Expr x = context.Symbol("x");
  const Expr y = context.Symbol("y");
  const View sum(3 * x - 2 * y + 5);
  EXPECT_EQ(sum.kind(), ExprKind::kSum);
  EXPECT_EQ(sum.constant(), 5);
  ASSERT_EQ(sum.size(), 2u);
  EXPECT_EQ(sum.child(0), x);
  EXPECT_EQ(sum.coefficient(0), 3);
  EXPECT_EQ(sum.coefficient(1), -2);
  const View product(x * y * x);
  EXPECT_EQ(product.kind(), ExprKind::kProduct);
  EXPECT_EQ(product.size(), 3u);
  const View floor(FloorDiv(x, y));
  EXPECT_EQ(floor.kind(), ExprKind::kFloorDiv);
  EXPECT_EQ(floor.child(0), x);
  EXPECT_EQ(floor.child(1), y);
  EXPECT_EQ(View(x).symbol(), "x");
  EXPECT_EQ(View(Expr(4)).constant(), 4);
  EXPECT_EQ(View(Expr::Invalid()).kind(), ExprKind::kInvalid);
  EXPECT_EQ(View(Eq(x, y)).kind(), ExprKind::kEqZero);
  EXPECT_EQ(View(Ge(x, y)).kind(), ExprKind::kGeZero);
  EXPECT_EQ(View(And(Ge(x, 5), Ge(y, 5))).kind(), ExprKind::kAnd);
  EXPECT_EQ(View(Ite(Ge(x, 5), x, y)).kind(), ExprKind::kIte);
}

TEST(Evaluate, NamesWhatIsWrong) {
  Context context;
  const Expr x = context.Symbol("x");
  const Expr y = Anything(context, "y");
  EXPECT_EQ(Evaluate(FloorDiv(x * x + 1, y), {{"x", 5}, {"y", 3}}).value(), 8);
  EXPECT_EQ(Evaluate(Mod(y, 4), {{"y", -1}}).value(), 3);
  const absl::Status unbound = Evaluate(x + y, {{"x", 1}}).status();
  EXPECT_EQ(unbound.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(unbound), HasSubstr("`y`"));
  EXPECT_EQ(Evaluate(x * x, {{"x", kMax}}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(Message(Evaluate(FloorDiv(x, y), {{"x", 1}, {"y", 0}}).status()),
              HasSubstr("not positive"));
  // A branch not taken is not evaluated.
  EXPECT_EQ(Evaluate(Ite(Ge(y, 1), FloorDiv(x, y), x), {{"x", 9}, {"y", 0}}).value(), 9);
}

TEST(RangeOf, FollowsFromRangesOfSymbols) {
  Context context;
  const Expr x = *context.Declare("x", {1, 10}, {}, "");
  const Expr y = *context.Declare("y", {-3, 3}, {}, "");
  EXPECT_EQ(RangeOf(2 * x - y), (Range{-1, 23}));
  EXPECT_EQ(RangeOf(x * y), (Range{-30, 30}));
  EXPECT_EQ(RangeOf(y * y).lo, 0);
  EXPECT_EQ(RangeOf(FloorDiv(y, 2)), (Range{-2, 1}));
  EXPECT_EQ(RangeOf(Mod(y * 7, 5)), (Range{0, 4}));
  EXPECT_EQ(RangeOf(x - 4 * FloorDiv(x, 4)), (Range{0, 3}));
  EXPECT_EQ(RangeOf(Max(x, 5)), (Range{5, 10}));
  EXPECT_EQ(RangeOf(Ite(Ge(x, 4), 7, -7)), (Range{-7, 7}));
  // A product makes up for a part of it.
  EXPECT_EQ(RangeOf(x * Max(y, 1) - Max(y, 1)).lo, 0);
  EXPECT_EQ(RangeOf(3 - x * Max(y, 1) + x).hi, 3);
  EXPECT_EQ(RangeOf(Expr(4)), (Range{4, 4}));
  EXPECT_EQ(RangeOf(Expr::Invalid()), Range{});
  // Beyond int64 a bound is open, never wrapped.
  const Expr z = *context.Declare("z", {1, kMax - 1}, {}, "");
  EXPECT_EQ(RangeOf(z * z), (Range{1, Range::kPosInf}));
}

TEST(CongruenceOf, FollowsFromCongruencesOfSymbols) {
  Context context;
  const Expr x = *context.Declare("x", {0, 1000}, {8, 3}, "");
  const Expr y = *context.Declare("y", {0, 1000}, {12, 0}, "");
  EXPECT_EQ(CongruenceOf(x), (Congruence{8, 3}));
  EXPECT_EQ(CongruenceOf(x + y), (Congruence{4, 3}));
  EXPECT_EQ(CongruenceOf(2 * x + 1), (Congruence{16, 7}));
  EXPECT_EQ(CongruenceOf(x * y), (Congruence{12, 0}));
  EXPECT_EQ(CongruenceOf(Expr(9)), (Congruence{0, 9}));
  EXPECT_EQ(CongruenceOf(16 * FloorDiv(context.Symbol("z"), 3) + 2), (Congruence{16, 2}));
  EXPECT_EQ(CongruenceOf(Ite(Ge(x, 100), y, 18)), (Congruence{6, 0}));
}

TEST(Substitute, Renormalises) {
  Context context;
  const Expr x = context.Symbol("x");
  const Expr y = context.Symbol("y");
  const Expr z = context.Symbol("z");
  EXPECT_EQ(Substitute(FloorDiv(x + y, z), {{"x", z * 4}, {"none", 1}}), FloorDiv(y, z) + 4);
  EXPECT_EQ(Substitute(x * y, {{"x", 3}, {"y", 5}}), Expr(15));
  // All at once, not one after the other.
  EXPECT_EQ(Substitute(x - y, {{"x", y}, {"y", x}}), y - x);
  EXPECT_EQ(Substitute(Expr(4), {{"x", 3}}), Expr(4));
  EXPECT_TRUE(Substitute(FloorDiv(x, y), {{"y", 0}}).IsInvalid());
  EXPECT_TRUE(Substitute(x + 1, {{"x", kMax}}).IsInvalid());
}

TEST(SymbolsOf, InOrderOfDeclaration) {
  Context context;
  const Expr b = context.Symbol("b");
  const Expr a = context.Symbol("a");
  context.Symbol("unused");
  EXPECT_THAT(SymbolsOf(Min(a, 3) + FloorDiv(a, b)), ElementsAre("b", "a"));
  EXPECT_THAT(SymbolsOf(a - a), ElementsAre());
}

TEST(UnprovedDivisors, AreThoseNotPositiveByRanges) {
  Context context;
  const Expr x = context.Symbol("x");
  const Expr y = Anything(context, "y");
  FloorDiv(y, x);
  FloorDiv(y, 3);
  EXPECT_THAT(context.unproved_divisors(), ElementsAre());
  FloorDiv(x, y);
  Mod(x + 1, y);
  FloorDiv(x, x - 1);
  EXPECT_THAT(context.unproved_divisors(), ElementsAre(y, x - 1));
  ASSERT_TRUE(context.Assume(Ge(y, 4), "").ok());
  EXPECT_THAT(context.unproved_divisors(), ElementsAre(x - 1));
  ASSERT_TRUE(context.Assume(Ne(x, 1), "").ok());
  EXPECT_THAT(context.unproved_divisors(), ElementsAre());
}

TEST(Print, ReadsBack) {
  Context context;
  for (const char* name : {"H", "W", "batch.size", "x'"}) context.Symbol(name);
  Anything(context, "dim 0 of `in");
  for (const char* text : {"0",
                           "-5",
                           "H",
                           "-H",
                           "H + W",
                           "2*H*W - 3*H + 1",
                           "floor(H/2)",
                           "floor((H + 1)/W)",
                           "mod(H, 16)",
                           "H + mod(16 - mod(H, 16), 16)",
                           "min(H, W)",
                           "max(H - W, 0)",
                           "min(min(H, W), batch.size) * x'",
                           "ite(H >= W, H, floor(W/3))",
                           "H == W",
                           "H != W",
                           "H >= 2*W + 3",
                           "H < W",
                           "H == 5 && W >= 3",
                           "H == 5 || W >= 3 || x' != 4",
                           "(H >= 4) + (W >= 4)",
                           "ite(H == 3 && W == 3, W, 1)",
                           "ceil(H/3)*floor(W/floor((H + 2)/2))",
                           "`two words`*2 + 1",
                           "truncdiv(`in`, 4)",
                           "not (H > 3)",
                           "abs(W - H)",
                           "-(H*H*H) + 9223372036854775807",
                           "floor(-9223372036854775807/H)",
                           "max(mod(H, 3), mod(W, 4)) - 2*mod(H*W, 5)",
                           "H*mod(W, 7) - mod(-W, 7)"}) {
    const absl::StatusOr<Expr> e = Parse(context, text);
    ASSERT_TRUE(e.ok()) << text << ": " << e.status();
    const absl::StatusOr<Expr> again = Parse(context, e->ToString());
    ASSERT_TRUE(again.ok()) << e->ToString() << ": " << again.status();
    EXPECT_EQ(*again, *e) << text << " printed as " << e->ToString() << ", read as "
                          << again->ToString();
  }
}

TEST(Print, IsReadable) {
  Context context;
  const auto printed = [&](const char* text) { return Parse(context, text)->ToString(); };
  EXPECT_EQ(printed("1 + 2*floordiv(H, 2)"), "2*floor(H/2) + 1");
  EXPECT_EQ(printed("mod(H, 8)"), "mod(H, 8)");
  EXPECT_EQ(printed("max(H, W)"), "max(W, H)");
  EXPECT_EQ(printed("W > H"), "H < W");
  EXPECT_EQ(printed("H >= 3"), "H >= 3");
  EXPECT_EQ(printed("`a b` + 1"), "`a b` + 1");
}

TEST(Parse, NamesTheColumn) {
  Context context;
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"", "column 1: expected an expression"},
      {"H +", "column 4: expected an expression"},
      {"H W", "column 3: unexpected text"},
      {"(H", "column 3: expected `)`"},
      {"pow(H, 2)", "column 1: unknown function `pow`"},
      {"mod(H)", "column 1: `mod` takes 2 operands, here are 1"},
      {"mod(H, 2, 3)", "column 9: expected `)`"},
      {"1 < H < 3", "column 7: comparisons do not chain"},
      {"99999999999999999999", "column 21: integer leaves 64 bits"},
      {"H / 2", "column 3: divisions are `floordiv(a, b)`, `ceildiv(a, b)`, `truncdiv(a, b)`"},
      {"H % 2", "column 3: remainders are `mod(a, b)`"},
      {"floor(H)", "column 8: expected `/`"},
      {"`H", "column 1: expected a name between backticks"},
      {"H $", "column 3: unexpected text"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(Message(Parse(context, c.text).status()), HasSubstr(c.message)) << c.text;
  EXPECT_FALSE(Parse(context, std::string(100000, '(')).ok());
  EXPECT_FALSE(Parse(context, std::string(100000, '-')).ok());
}

TEST(Syntax, SharesSubtermsAndEvaluatesWhatIsNeeded) {
  const absl::StatusOr<Syntax> syntax = ParseSyntax("ite(n != 0, floordiv(m*m + 1, n), m*m + 1)");
  ASSERT_TRUE(syntax.ok());
  EXPECT_EQ(syntax->symbols, (std::vector<std::string>{"n", "m"}));
  EXPECT_EQ(EvaluateSyntax(*syntax, {{"n", 0}, {"m", 3}}).value(), 10);
  EXPECT_EQ(EvaluateSyntax(*syntax, {{"n", 4}, {"m", 3}}).value(), 2);
  EXPECT_EQ(EvaluateSyntax(*syntax, {{"n", -4}, {"m", 3}}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(EvaluateSyntax(*syntax, {{"n", 4}}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(EvaluateSyntax(*syntax, {{"n", 4}, {"m", kMax}}).status().code(),
            absl::StatusCode::kOutOfRange);
  const Syntax guarded = *ParseSyntax("n >= 1 && floordiv(1, n) == 1");
  EXPECT_EQ(EvaluateSyntax(guarded, {{"n", 0}}).value(), 0);
  const Syntax either = *ParseSyntax("n < 1 || floordiv(1, n) == 1");
  EXPECT_EQ(EvaluateSyntax(either, {{"n", 0}}).value(), 1);
}

}  // namespace
}  // namespace tessera::solver
