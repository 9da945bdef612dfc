// The solver against plain evaluation, on random terms of fixed seeds.
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>

#include "gtest/gtest.h"
#include "solver/decide.h"
#include "solver/expr.h"
#include "solver/syntax.h"
#include "solver/testing/check_expression.h"

namespace tessera::solver {
namespace {

// Of this process, which other work on the machine does not slow down.
double ProcessorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

TEST(Fuzz, NormalFormsHaveTheValuesOfTheirTerms) {
  constexpr int kTerms = 200000;
  ExpressionChecker checker;
  const double start = ProcessorSeconds();
  for (int i = 0; i < kTerms; ++i) {
    Choices choices(static_cast<uint64_t>(i) * 0xD6E8FEB86659FD93);
    const std::string wrong = checker.CheckForm(choices);
    ASSERT_EQ(wrong, "") << "seed " << i;
  }
  std::printf("%.0f terms a second of processor time\n", kTerms / (ProcessorSeconds() - start));
  EXPECT_GT(checker.compared(), kTerms);
  EXPECT_LT(checker.overflowed(), checker.compared() / 100);
}

TEST(Fuzz, VerdictsAreTrueUnderTheirFacts) {
  constexpr int kClaims = 20000;
  ExpressionChecker checker;
  for (int i = 0; i < kClaims; ++i) {
    Choices choices(static_cast<uint64_t>(i) * 0xC2B2AE3D27D4EB4F + 1);
    const std::string wrong = checker.CheckDecision(choices);
    ASSERT_EQ(wrong, "") << "seed " << i;
  }
  EXPECT_GT(checker.proved(), kClaims / 20);
  EXPECT_GT(checker.refuted(), kClaims / 2);
}

Verdict DecideClaim(const RandomClaim& claim) {
  Context context;
  for (size_t i = 0; i < claim.claim.symbols.size(); ++i) {
    const bool free = i < claim.grammar.free_symbols;
    EXPECT_TRUE(context
                    .Declare(claim.claim.symbols[i], free ? Range{} : Range{1, Range::kPosInf}, {},
                             "the test")
                    .ok());
  }
  Verdict verdict = Decide(context, Build(context, claim.claim));
  verdict.residual = 0;
  return verdict;
}

struct Tally {
  int total = 0;
  int proved = 0;
  int refuted = 0;
};

// 10,000 claims, half of them with min, max, abs, if-then-else and comparisons.
Tally DecideMany(bool perturbed) {
  Tally tally;
  RandomClaim claim;
  for (uint64_t i = 0; tally.total < 10000; ++i) {
    if (!MakeRandomClaim(i + (perturbed ? 1000000 : 0), i % 2 == 0, 8, perturbed, &claim)) continue;
    ++tally.total;
    const Verdict verdict = DecideClaim(claim);
    tally.proved += verdict.kind == Verdict::kProved ? 1 : 0;
    tally.refuted += verdict.kind == Verdict::kRefuted ? 1 : 0;
  }
  std::printf("of %d: %d proved, %d refuted\n", tally.total, tally.proved, tally.refuted);
  return tally;
}

TEST(Fuzz, IdentitiesAreProved) {
  const Tally tally = DecideMany(false);
  EXPECT_GE(tally.proved, 9800);
  EXPECT_EQ(tally.refuted, 0);
}

TEST(Fuzz, FalseStatementsAreNotProved) {
  const Tally tally = DecideMany(true);
  EXPECT_EQ(tally.proved, 0);
  EXPECT_GE(tally.refuted, 9900);
}

}  // namespace
}  // namespace tessera::solver
