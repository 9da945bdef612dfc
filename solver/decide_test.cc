#include "solver/decide.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "solver/store.h"
#include "solver/syntax.h"

namespace tessera::solver {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct Case {
  std::vector<const char*> facts;
  const char* claim;
  const char* by;
};

Expr Read(Context& context, const char* text) {
  const absl::StatusOr<Expr> e = Parse(context, text);
  EXPECT_TRUE(e.ok()) << text << ": " << e.status();
  return e.ok() ? *e : Expr::Invalid();
}

void AssumeAll(Context& context, const std::vector<const char*>& facts) {
  for (const char* fact : facts)
    ASSERT_TRUE(context.Assume(Read(context, fact), "the test").ok()) << fact;
}

// What was asked before costs next to nothing, and what was open is looked at again once more is
// known.
TEST(Decide, AsksOnce) {
  Context context;
  const Expr claim = Read(context, "floordiv(x, 2) + floordiv(y, 3) <= floordiv(x + y, 2)");
  const Expr open = Read(context, "x*y*y + z >= floordiv(x*x, 7)*y");
  for (const Expr& e : {claim, open}) {
    const uint64_t before = context.store().work;
    const Verdict first = Decide(context, e);
    const uint64_t once = context.store().work - before;
    const Verdict second = Decide(context, e);
    EXPECT_EQ(first.kind, second.kind);
    EXPECT_EQ(first.by, second.by);
    if (first.kind == Verdict::kRefuted) continue;
    EXPECT_LT(context.store().work - before - once, once / 10 + 2);
  }
  Context facts;
  const Expr later = Read(facts, "x*x*y >= floordiv(x*y*y, 7)");
  EXPECT_NE(Decide(facts, later).kind, Verdict::kProved);
  AssumeAll(facts, {"x == 3*y"});
  EXPECT_EQ(Decide(facts, later).kind, Verdict::kProved);
}

// Sizes that are enlarged by a fraction again and again: the normal form of each is as long as the
// chain, how it was computed is two operations.
TEST(Decide, ProvesOfLongChainsByHowTheyWereComputed) {
  for (const int64_t factor : {5, 3}) {
    Context context;
    Expr before = context.Symbol("x");
    Expr size = before;
    for (int i = 0; i < 12; ++i) {
      before = size;
      size = FloorDiv(size * factor, 4);
    }
    const Expr claim = Or(Gt(before, 0), Eq(size, 0));
    const uint64_t work = context.store().work;
    const Verdict verdict = Decide(context, And(claim, Ge(size, 0)));
    EXPECT_EQ(verdict.kind, Verdict::kProved);
    EXPECT_TRUE(verdict.by == "range" || verdict.by == "normal-form") << verdict.by;
    EXPECT_LT(context.store().work - work, 100'000);
    EXPECT_NE(Decide(context, Gt(size, 1000)).kind, Verdict::kProved);
    // What is written in more than 65,536 terms is no expression any more.
    for (int i = 0; i < 48 && !size.IsInvalid(); ++i) size = FloorDiv(size * factor, 4);
    EXPECT_TRUE(size.IsInvalid());
  }
}

TEST(Decide, ProvesByTheCheapestLayer) {
  const Case cases[] = {
      {{}, "(a + b)*c == a*c + b*c", "normal-form"},
      {{"mod(x, 2) == 0"}, "(floordiv(x - 2, 2) + 1)*2 == x", "normal-form"},
      {{}, "x*y + 1 >= 2", "normal-form"},
      {{}, "x*y + 2 >= x + y", "normal-form"},
      {{}, "x*x + y*y >= 2*x*y", "squares"},
      {{"x + y <= 20"}, "2*x + 2*y <= 41", "hypotheses"},
      {{"x <= y && y <= z"}, "x <= z", "hypotheses"},
      {{}, "min(x, y) + max(x, y) - x - y == 0 && (x >= y || max(x, y) == y)", "cases"},
      {{}, "floordiv(y, 69*x) >= floordiv(y, 74*x)", "range"},
      {{}, "min(floordiv(y, 96*x), y) >= floordiv(y, 99*x)", "cases"},
      {{}, "floordiv(x*x + 1, 2*x) == floordiv(x, 2) + floordiv(1, x)", "cases"},
      {{"mod(x, w) == 0", "mod(y, w) == 0"},
       "floordiv(z*floordiv(x, w)*floordiv(y, w), floordiv(floordiv(x*y, w), w)) == z",
       "hypotheses"},
      {{"mod(x, 2*w) == 0"},
       "mod(x, w) == 0 && floordiv(x, 2*w)*2 == floordiv(x, w)",
       "hypotheses"},
      {{"x >= 2*w"}, "floordiv(x, w) >= 2", "hypotheses"},
      {{}, "mod(x*x, 4) <= 1", "residues"},
      {{}, "mod(x*(x + 1)*(x + 2), 6) == 0", "residues"},
  };
  for (const Case& c : cases) {
    Context context;
    AssumeAll(context, c.facts);
    const Verdict verdict = Decide(context, Read(context, c.claim));
    EXPECT_EQ(verdict.kind, Verdict::kProved) << c.claim << ": " << verdict.residual.ToString();
    EXPECT_EQ(verdict.by, c.by) << c.claim;
  }
}

TEST(Decide, RefutesWithSmallSizesThatReevaluate) {
  const struct {
    std::vector<const char*> facts;
    const char* claim;
  } cases[] = {
      {{}, "floordiv(H, 2)*2 == H"},
      {{"H >= 100"}, "mod(H, 7) != 3"},
      {{}, "x*x != 49"},
      {{}, "x != 123456789"},
      {{"x >= 1000"}, "x < y"},
      {{"mod(H, 8) == 0", "W == H + 1"}, "mod(W*H, 16) == 0"},
      {{"x + y == 77"}, "x*y <= 1400"},
      {{"x <= y"}, "x == y"},
      {{}, "mod(x, 64) != 63 || mod(y, 16) != 15"},
      {{}, "floordiv(x + y, a) == floordiv(x, a) + floordiv(y, a)"},
      {{}, "min(x, y) == x"},
  };
  for (const auto& c : cases) {
    Context context;
    AssumeAll(context, c.facts);
    const Expr claim = Read(context, c.claim);
    const Verdict verdict = Decide(context, claim);
    ASSERT_EQ(verdict.kind, Verdict::kRefuted) << c.claim << ": " << verdict.by;
    EXPECT_EQ(verdict.by, "counterexample");
    // By the normal form, and by the text.
    EXPECT_EQ(Evaluate(claim, verdict.counterexample).value(), 0) << c.claim;
    EXPECT_EQ(EvaluateSyntax(*ParseSyntax(c.claim), verdict.counterexample).value(), 0) << c.claim;
    for (const char* fact : c.facts)
      EXPECT_EQ(EvaluateSyntax(*ParseSyntax(fact), verdict.counterexample).value(), 1) << fact;
  }
}

TEST(Decide, CounterexamplesAreSmall) {
  Context context;
  const Verdict verdict = Decide(context, Read(context, "T <= 128"));
  EXPECT_THAT(verdict.counterexample, ElementsAre(Pair("T", 129)));
  EXPECT_THAT(Decide(context, Read(context, "mod(H, 2) == 0")).counterexample,
              ElementsAre(Pair("H", 1)));
}

TEST(Decide, ContradictoryHypothesesProveNothing) {
  Context context;
  // Each alone is possible, and no rule sees that both are not.
  AssumeAll(context, {"x*x == 2*y*y + 1 - 2*mod(y, 2)*0", "x*x + 5 == 2*y*y + 1"});
  const Verdict verdict = Decide(context, Read(context, "x == y"));
  EXPECT_EQ(verdict.kind, Verdict::kUnknown);
  // Where a proof is found it is not called one: nothing satisfies the facts.
  const Verdict trivial = Decide(context, Read(context, "x >= 1"));
  EXPECT_EQ(trivial.kind, Verdict::kUnknown);
  EXPECT_THAT(trivial.by, testing::AnyOf("no-witness", "contradictory-facts"));
}

TEST(Decide, ADivisionSaysNothingOfItsDivisor) {
  Context context;
  const Expr x = *context.Declare("x", {-10, 10}, {}, "");
  FloorDiv(context.Symbol("y"), x);
  EXPECT_EQ(Decide(context, Ge(x, 1)).kind, Verdict::kRefuted);
  EXPECT_EQ(Decide(context, Le(x, 0)).kind, Verdict::kRefuted);
  EXPECT_EQ(Decide(context, Read(context, "y >= 1")).kind, Verdict::kProved);
  EXPECT_THAT(context.unproved_divisors(), ElementsAre(x));
}

TEST(Decide, InvalidIsUnknown) {
  Context context;
  const Verdict verdict = Decide(context, Expr::Invalid());
  EXPECT_EQ(verdict.kind, Verdict::kUnknown);
  EXPECT_EQ(verdict.by, "invalid");
  EXPECT_EQ(Decide(context, Eq(FloorDiv(context.Symbol("x"), 0), 1)).by, "invalid");
}

TEST(Decide, LeavesOpenWhatItCannotJustify) {
  Context context;
  // Fermat's last theorem for 3 and a bound beyond the reach of the search.
  const Verdict fermat = Decide(context, Read(context, "x*x*x + y*y*y != z*z*z"));
  EXPECT_EQ(fermat.kind, Verdict::kUnknown);
  EXPECT_EQ(fermat.by, "undecided");
  EXPECT_FALSE(fermat.residual.IsConstant());
}

TEST(Decide, ConstantsNeedNoSearch) {
  Context context;
  EXPECT_EQ(Decide(context, 1).kind, Verdict::kProved);
  EXPECT_EQ(Decide(context, 5).kind, Verdict::kProved);
  const Verdict verdict = Decide(context, 0);
  EXPECT_EQ(verdict.kind, Verdict::kRefuted);
  EXPECT_THAT(verdict.counterexample, testing::IsEmpty());
}

TEST(Decide, SeesTheFactsOfNow) {
  Context context;
  const Expr claim = Read(context, "T <= 128");
  EXPECT_EQ(Decide(context, claim).kind, Verdict::kRefuted);
  AssumeAll(context, {"T <= 100"});
  EXPECT_EQ(Decide(context, claim).kind, Verdict::kProved);
}

}  // namespace
}  // namespace tessera::solver
