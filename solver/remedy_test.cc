#include "solver/remedy.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "solver/copy.h"
#include "solver/decide.h"

namespace tessera::solver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The remedies for a claim that does not hold for all sizes.
std::vector<Remedy> Remedies(Context& context, const std::string& claim) {
  const absl::StatusOr<Expr> predicate = Parse(context, claim);
  EXPECT_TRUE(predicate.ok()) << predicate.status();
  const Verdict verdict = Decide(context, *predicate);
  EXPECT_EQ(verdict.kind, Verdict::kRefuted) << claim;
  return FindRemedies(context, *predicate, verdict.counterexample);
}

std::vector<Remedy> Remedies(const std::string& claim) {
  Context context;
  return Remedies(context, claim);
}

TEST(RemedyTest, OneDeclaration) {
  EXPECT_THAT(Remedies("T <= 128"), ElementsAre(Remedy{"T=1..128"}));
  EXPECT_THAT(Remedies("min(T, 9999995) == T || T == 1"), ElementsAre(Remedy{"T=1..9999995"}));
  EXPECT_THAT(Remedies("2*floor(H/2) == H"), ElementsAre(Remedy{"H%2=0"}));
  EXPECT_THAT(Remedies("A == B"), ElementsAre(Remedy{"A=B"}));
  EXPECT_THAT(Remedies("3*T == 15"), ElementsAre(Remedy{"T=5"}));
  EXPECT_THAT(Remedies("floor(T/4) == 3"), ElementsAre(Remedy{"T=12..15"}));
}

TEST(RemedyTest, WhatDataDecideNobodyDeclares) {
  Context context;
  ASSERT_TRUE(context.Declare("k", {0, 100}, {}, "data decide it, at `NonZero_0`").ok());
  EXPECT_THAT(Remedies(context, "k >= 4"), IsEmpty());
  EXPECT_THAT(Remedies(context, "k == N"), ElementsAre(Remedy{"N=100"}));  // for some data
  ASSERT_TRUE(
      context.Assume(Le(context.Symbol("k"), context.Symbol("N")), "data decide it, at `NonZero_0`")
          .ok());
  EXPECT_THAT(Remedies(context, "k >= 4"), ElementsAre(Remedy{"N=4.."}));
  EXPECT_THAT(Remedies(context, "N >= 4 && k >= 0"), ElementsAre(Remedy{"N=4.."}));
}

TEST(RemedyTest, EqualToASum) {
  EXPECT_THAT(Remedies("total == past + seq"), ElementsAre(Remedy{"total=past+seq"}));
  EXPECT_THAT(Remedies("seq == total - past || seq == 1"), ElementsAre(Remedy{"total=seq+past"}));
  EXPECT_THAT(Remedies("T == 2*S + 1"), ElementsAre(Remedy{"T=2*S+1"}));
  EXPECT_THAT(Remedies("P + S == T + U"), ElementsAre(Remedy{"P=T+U-S"}));
  EXPECT_THAT(Remedies("T == ceildiv(S, 2)"), ElementsAre(Remedy{"T=S-floor(S/2)"}));
}

TEST(RemedyTest, Remainders) {
  EXPECT_THAT(Remedies("2*floor((H - 1)/2) + 1 == H"), ElementsAre(Remedy{"H%2=1"}));
  EXPECT_THAT(Remedies("mod(H + 5, 8) == 0"), ElementsAre(Remedy{"H%8=3"}));
  EXPECT_THAT(Remedies("floor((H + 1)/2)*floor((W + 1)/2)*4 == (H + 1)*(W + 1)"),
              ElementsAre(Remedy{"H%2=1", "W%2=1"}));
}

// Multiples of five are five or more; they say nothing that the bound does not.
TEST(RemedyTest, NoDivisorThatIsOnlyABound) {
  EXPECT_THAT(Remedies("H >= 5"), ElementsAre(Remedy{"H=5.."}));
}

TEST(RemedyTest, DeclarationsThatHelpOnlyTogether) {
  EXPECT_THAT(Remedies("floor(H/4)*floor(W/4) == 16*floor((H + 12)/16)*floor((W + 12)/16)"),
              ElementsAre(Remedy{"H%16=0", "W%16=0"}));
  EXPECT_THAT(Remedies("min(H, W) >= 7"), ElementsAre(Remedy{"H=7..", "W=7.."}));
  EXPECT_THAT(Remedies("floor((H + 15)/16)*floor((W + 15)/16) == 16"),
              ElementsAre(Remedy{"H=49..64", "W=49..64"}));
  EXPECT_THAT(Remedies("H*W == 6"), ElementsAre(Remedy{"H=2", "W=3"}));
  EXPECT_THAT(Remedies("A*B == C*D"), ElementsAre(Remedy{"A=C", "B=D"}));
}

TEST(RemedyTest, NoMoreOfEachThanGoesWithTheOthers) {
  EXPECT_THAT(Remedies("6*floor(H/2)*floor(W/3) == H*W"), ElementsAre(Remedy{"H%2=0", "W%3=0"}));
  EXPECT_THAT(Remedies("8*floor(H/2)*floor(W/4) == H*W"), ElementsAre(Remedy{"H%2=0", "W%4=0"}));
  EXPECT_THAT(Remedies("H >= 9 && W >= 3"), ElementsAre(Remedy{"H=9..", "W=3.."}));
}

// Where something is broadcast with 1, what is not broadcast is meant.
TEST(RemedyTest, OfSingleSizesNotTheLeast) {
  EXPECT_THAT(Remedies("L == 1 || L == 8"), ElementsAre(Remedy{"L=8"}));
  Context context;
  ASSERT_TRUE(context.Declare("L", {3, 4096}, {1, 0}, "dim 1").ok());
  EXPECT_THAT(Remedies(context, "L == 4 || L == 11"), ElementsAre(Remedy{"L=11"}));
}

TEST(RemedyTest, StaysWithinWhatIsDeclared) {
  Context context;
  ASSERT_TRUE(context.Declare("H", {20, 1000}, {1, 0}, "dim 2").ok());
  EXPECT_THAT(Remedies(context, "floor(H/16) == 2"), ElementsAre(Remedy{"H=32..47"}));
  EXPECT_THAT(Remedies(context, "H == 3"), IsEmpty());
}

TEST(RemedyTest, NoneForWhoTellsNobody) {
  {
    const WithoutRemedies outer;
    { const WithoutRemedies inner; }
    EXPECT_THAT(Remedies("T <= 128"), IsEmpty());
  }
  EXPECT_THAT(Remedies("T <= 128"), ElementsAre(Remedy{"T=1..128"}));
}

TEST(RemedyTest, AsText) {
  EXPECT_EQ(ToText({{"H%2=0", "W%2=0"}, {"H=4"}}), "`--dim H%2=0 --dim W%2=0` or `--dim H=4`");
}

TEST(RemedyTest, TravelsWithAStatus) {
  absl::Status status = absl::InvalidArgumentError("no");
  EXPECT_THAT(Attached(status), IsEmpty());
  Attach({}, status, "fits");
  EXPECT_THAT(Attached(status), IsEmpty());
  Attach({"H%2=0", "W=1..4"}, status, "fits");
  EXPECT_EQ(ConstraintOf(status), "fits");
  EXPECT_THAT(Attached(status), ElementsAre("H%2=0", "W=1..4"));
}

// What takes thousands of trials of a long proposition is given up. No network asks this.
TEST(RemedyTest, ABoundOnWhatIsTried) {
  const std::string extreme = "min(0, 3*B*B + 4*B + floor((2*A + 1)/7) - 3*B*C - C + 2)",
                    third = "min(0, floor(B/3) - 3*C + 1)";
  const std::string ninefold = "9*floor((2*A - 7*" + extreme + " + 8)/63) + floor(" + third + "/3)";
  EXPECT_THAT(Remedies("C + 2*D + floor(" + third +
                       "/3) + 2*floor((min(floor((C + 4)/7), 3*A + 4*D + 3) - 7*D - 1)/7) < "
                       "min(min(0, C + " +
                       ninefold + " - floor((2*A + 1)/7) - 1), 3*B*B + 4*B + " + ninefold +
                       " - 3*B*C + 1) + 41"),
              IsEmpty());
  // As long, and found by little.
  EXPECT_THAT(Remedies("mod(H, 2) == 0 || " + extreme + " > 0"), ElementsAre(Remedy{"H%2=0"}));
}

TEST(Remedy, ALeastSizeThatIsComputed) {
  EXPECT_THAT(Remedies("N < L"), ElementsAre(Remedy{"L=N+1.."}));
  EXPECT_THAT(Remedies("max(N, 3) <= T"), ElementsAre(Remedy{"T=max(N,3).."}));
  EXPECT_THAT(Remedies("mod(N, 2) < L && N < L && 2*N < L + 1"), ElementsAre(Remedy{"L=2*N.."}));
}

}  // namespace
}  // namespace tessera::solver
