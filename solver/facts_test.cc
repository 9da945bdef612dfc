#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "solver/decide.h"
#include "solver/expr.h"

namespace tessera::solver {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

void Assume(Context& context, const char* fact) {
  const absl::StatusOr<Expr> e = Parse(context, fact);
  ASSERT_TRUE(e.ok()) << e.status();
  const absl::Status status = context.Assume(*e, "the test");
  ASSERT_TRUE(status.ok()) << status;
}

Expr Read(Context& context, const char* text) { return *Parse(context, text); }

TEST(Facts, DeclarationsAreChecked) {
  Context context;
  EXPECT_TRUE(context.Declare("H", {1, 64}, {8, 0}, "dim 2").ok());
  EXPECT_EQ(context.Find("H")->range, (Range{8, 64}));
  EXPECT_EQ(context.Find("H")->origin, "dim 2");
  EXPECT_TRUE(context.Declare("H", {8, 64}, {8, 0}, "dim 3").ok());
  const absl::Status again = context.Declare("H", {1, 64}, {}, "dim 3").status();
  EXPECT_EQ(again.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(again.message()), HasSubstr("dim 2"));
  EXPECT_FALSE(context.Declare("", {}, {}, "").ok());
  EXPECT_FALSE(context.Declare("a", {5, 4}, {}, "").ok());
  EXPECT_FALSE(context.Declare("a", {1, 7}, {8, 0}, "").ok());
  EXPECT_FALSE(context.Declare("a", {}, {0, 0}, "").ok());
  EXPECT_FALSE(context.Declare("a", {}, {4, 4}, "").ok());
  EXPECT_EQ(context.Find("a"), nullptr);
  EXPECT_THAT(context.symbols(), SizeIs(1));
}

TEST(Facts, SymbolsAreDimsByDefault) {
  Context context;
  context.Symbol("n");
  EXPECT_EQ(context.Find("n")->range, (Range{1, (int64_t{1} << 31) - 1}));
}

TEST(Facts, BoundsBecomeRanges) {
  Context context;
  Assume(context, "H >= 5 && H < 100");
  Assume(context, "2*W <= 31");
  Assume(context, "W != 1");
  EXPECT_EQ(context.Find("H")->range, (Range{5, 99}));
  EXPECT_EQ(context.Find("W")->range, (Range{2, 15}));
  Assume(context, "min(A, 2*B - 1) >= 4 && max(A, B) <= 50");
  EXPECT_EQ(context.Find("A")->range, (Range{4, 50}));
  EXPECT_EQ(context.Find("B")->range, (Range{3, 50}));
  EXPECT_THAT(context.hypotheses(), IsEmpty());
  EXPECT_THAT(context.facts(), SizeIs(4));
  EXPECT_EQ(context.facts()[0].origin, "the test");
}

TEST(Facts, RemaindersBecomeCongruences) {
  Context context;
  Assume(context, "mod(H, 4) == 1");
  Assume(context, "mod(H, 6) == 3");
  EXPECT_EQ(context.Find("H")->congruence, (Congruence{12, 9}));
  EXPECT_EQ(context.Find("H")->range.lo, 9);
  EXPECT_EQ(Read(context, "mod(H, 3)"), Expr(0));
  EXPECT_EQ(Read(context, "floordiv(H, 4)*4 + 1"), context.Symbol("H"));
  Assume(context, "3*W == 5*V + 1");
  EXPECT_EQ(Read(context, "mod(W, 5)"), Expr(2));
  EXPECT_EQ(Read(context, "mod(V, 3)"), Expr(1));
  EXPECT_THAT(context.hypotheses(), IsEmpty());
}

TEST(Facts, EqualitiesBecomeValues) {
  Context context;
  Assume(context, "A >= 4 && B <= 9");
  Assume(context, "A == B");
  EXPECT_EQ(Read(context, "A"), Read(context, "B"));
  EXPECT_EQ(context.Find("A")->range, (Range{4, 9}));
  Assume(context, "C == 2*A*D + 1");
  ASSERT_TRUE(context.Find("C")->value.has_value());
  EXPECT_EQ(Read(context, "floordiv(C, A)"), Read(context, "2*D"));
  Assume(context, "D == 7");
  EXPECT_EQ(Read(context, "C"), Read(context, "14*A + 1"));
  EXPECT_EQ(Evaluate(Read(context, "C"), {{"A", 5}}).value(), 71);
}

TEST(Facts, PartsOfAConjunctionSeeEachOther) {
  Context context;
  Assume(context, "y == x && y >= 15");
  EXPECT_EQ(RangeOf(Read(context, "x")).lo, 15);
  EXPECT_EQ(Decide(context, Read(context, "x >= 15")).kind, Verdict::kProved);
  EXPECT_FALSE(context.Assume(Read(context, "z == y && z < 15"), "").ok());
}

TEST(Facts, ExpressionsFromBeforeAreBroughtUpToDate) {
  Context context;
  const Expr h = context.Symbol("H");
  const Expr claim = Eq(FloorDiv(h, 2) * 2, h);
  EXPECT_EQ(Decide(context, claim).kind, Verdict::kRefuted);
  Assume(context, "mod(H, 2) == 0");
  EXPECT_EQ(context.Renormalize(claim), Expr(1));
  EXPECT_EQ(Decide(context, claim).kind, Verdict::kProved);
  EXPECT_EQ(context.Renormalize(Expr(3)), Expr(3));
}

TEST(Facts, OthersAreHypotheses) {
  Context context;
  Assume(context, "H*W <= 1000");
  Assume(context, "H >= W || W >= 2*H");
  EXPECT_THAT(context.hypotheses(), SizeIs(2));
  EXPECT_EQ(Decide(context, Read(context, "H*W < 1001")).kind, Verdict::kProved);
  EXPECT_EQ(Decide(context, Read(context, "H*W < 1000")).kind, Verdict::kRefuted);
}

// Each minimum taken apart would double the facts.
TEST(Facts, SumsOfManyMinimaStayWhole) {
  Context context;
  Expr sum = 0;
  for (int i = 0; i < 90; ++i) sum += Min(context.Symbol("n" + std::to_string(i)), 300);
  const Expr most = context.Symbol("m");
  ASSERT_TRUE(context.Assume(Le(most, sum), "").ok());
  EXPECT_EQ(context.hypotheses().size(), 1u);
  EXPECT_TRUE(Decide(context, Le(most, 27000)).kind == Verdict::kProved);
}

TEST(Facts, ContradictionsAreFoundAndRemembered) {
  const char* cases[][2] = {
      {"H >= 5", "H <= 4"},           {"mod(H, 4) == 1", "mod(H, 2) == 0"},
      {"H == 3", "H == 4"},           {"H == W + 1", "H == W"},
      {"H <= 7", "mod(H, 8) == 0"},   {"mod(H, 4) == 1", "mod(H, 4) == 5"},
      {"H == 2*W", "mod(H, 2) == 1"}, {"H == 2*W", "H <= 1"},
  };
  for (const auto& [first, second] : cases) {
    Context context;
    Assume(context, first);
    const absl::StatusOr<Expr> e = Parse(context, second);
    ASSERT_TRUE(e.ok());
    const absl::Status status = context.Assume(*e, "a guard");
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << first << ", " << second;
    EXPECT_THAT(std::string(status.message()), HasSubstr("a guard"));
    EXPECT_TRUE(context.contradictory());
    EXPECT_THAT(context.facts(), SizeIs(2));
    for (const Expr& claim : {Expr(1), Expr(0), Ge(context.Symbol("V"), 1)}) {
      const Verdict verdict = Decide(context, claim);
      EXPECT_EQ(verdict.kind, Verdict::kUnknown);
      EXPECT_EQ(verdict.by, "contradictory-facts");
    }
  }
}

}  // namespace
}  // namespace tessera::solver
