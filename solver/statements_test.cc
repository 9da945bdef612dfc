#include "solver/statements.h"

#include <cstdio>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "solver/testing/statement_families.h"

namespace tessera::solver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Pair;

Verdict DecideText(const char* text) {
  const absl::StatusOr<Statement> statement = ParseStatement(text);
  EXPECT_TRUE(statement.ok()) << text << ": " << statement.status();
  if (!statement.ok()) return {};
  Context context;
  Verdict verdict = DecideStatement(context, *statement);
  verdict.residual = 0;  // it would outlive its context
  return verdict;
}

TEST(Statements, OfAllFamiliesAreDecided) {
  const absl::StatusOr<StatementReport> report = DecideStatements(StatementFamilies(8));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->valid, 2000);
  EXPECT_GT(report->invalid, 400);
  for (const StatementOutcome& outcome : report->outcomes) {
    EXPECT_EQ(outcome.kind, outcome.valid ? Verdict::kProved : Verdict::kRefuted)
        << outcome.family << " " << outcome.name << ": " << outcome.by << " " << outcome.residual;
  }
  EXPECT_EQ(report->proved, report->valid);
  EXPECT_EQ(report->refuted, report->invalid);
  EXPECT_EQ(report->wrong, 0);
  EXPECT_EQ(report->unknown, 0);
  double parse_us = 0;
  for (const StatementOutcome& outcome : report->outcomes) parse_us += outcome.parse_us;
  std::printf("%s; parsing all took %.0f us\n", report->Summary().c_str(), parse_us);
}

TEST(Statements, FactsStandBeforeTheTurnstile) {
  EXPECT_EQ(DecideText("W >= 1 |- mod(W + mod(16 - mod(W,16),16), 8) == 0").kind, Verdict::kProved);
  EXPECT_EQ(DecideText("min(a, 7) >= 3, b == a ; mod(b, 2) == 0 |- a >= 4").kind, Verdict::kProved);
  EXPECT_EQ(DecideText(" |- min(a, b) <= b").kind, Verdict::kProved);
  EXPECT_EQ(DecideText("min(a, b) <= b || a == 0").kind, Verdict::kProved);
  const Verdict refuted = DecideText("X >= 2 |- floordiv(1, X - 1) == 0");
  EXPECT_EQ(refuted.kind, Verdict::kRefuted);
  EXPECT_THAT(refuted.counterexample, ElementsAre(Pair("X", 2)));
}

TEST(Statements, AssumeNothingButTheirFacts) {
  EXPECT_THAT(DecideText("past >= 0 |- past >= 1").counterexample, ElementsAre(Pair("past", 0)));
  EXPECT_EQ(DecideText("x*2 >= x").kind, Verdict::kRefuted);
  EXPECT_THAT(DecideText("mod(y, 7) == 5, y >= 1 |- x == x + 1").counterexample,
              ElementsAre(Pair("x", 0), Pair("y", 5)));
  EXPECT_EQ(DecideText("x >= 1 |- x <= 2147483647").kind, Verdict::kRefuted);
  EXPECT_EQ(DecideText("x >= 0 - 5, x <= 0 - 3 |- x*x >= 9").kind, Verdict::kProved);
}

TEST(Statements, DivisorsAreObligations) {
  const Verdict verdict =
      DecideText("x >= 0 |- floordiv(y*x, x) == y || floordiv(y, x) == floordiv(y, x)");
  EXPECT_EQ(verdict.kind, Verdict::kRefuted);
  EXPECT_EQ(verdict.by, "divisor");
  EXPECT_EQ(verdict.counterexample.at("x"), 0);
  EXPECT_EQ(DecideText("x >= 1 |- floordiv(y*x, x) == y").kind, Verdict::kProved);
  EXPECT_EQ(DecideText("x >= 2*y, y >= 1, z >= 1 |- mod(z, x - y) < x - y").kind, Verdict::kProved);
}

TEST(Statements, NothingFollowsFromAContradiction) {
  for (const char* text :
       {"x >= 2, x <= 1 |- x == 7", "x >= 1, mod(x, 2) == 0, mod(x, 4) == 1 |- 1",
        "x*x >= 5, x*x + 3 <= 4 |- x == x"}) {
    EXPECT_EQ(DecideText(text).kind, Verdict::kUnknown) << text;
  }
}

TEST(Statements, ErrorsNameThePlace) {
  const auto message = [](const char* text) {
    return std::string(ParseStatement(text).status().message());
  };
  EXPECT_THAT(message("x >= |- x"), HasSubstr("fact `x >= `: column 6"));
  EXPECT_THAT(message("x >= 1 |- "), HasSubstr("claim: column 2"));
  const auto table = [](const char* text) {
    return std::string(DecideStatements(text).status().message());
  };
  EXPECT_THAT(table("# good\n\nf\tn\tx >= 1\tx >= 1\tvalid\nf\tn\tx\tvalid\n"),
              HasSubstr("line 4"));
  EXPECT_THAT(table("f\tn\tx >= 1\tx >= 1\tmaybe"), HasSubstr("line 1"));
  EXPECT_THAT(table("f\tn\tx >= 1\tx >=\tvalid"), HasSubstr("line 1: claim"));
  EXPECT_THAT(table("f\tn\tx >= 1\tx >= 1\tvalid\tmore"), HasSubstr("line 1"));
}

constexpr const char* kTable =
    "# family, name, facts, claim\n"
    "a\tright\tx >= 1\tx >= 1\tvalid\n"
    "a\tsaid to be wrong\tx >= 1\tx + 1 > x\tinvalid\r\n"
    "a\tsaid to be right\tx >= 1\tx >= 2\tvalid\n"
    "a\twrong\tx >= 1\tx >= 2\tinvalid\n"
    "a\topen\tx >= 1; y >= 1; z >= 1\tx*x*x + y*y*y != z*z*z\tvalid";

TEST(Statements, AreCounted) {
  const absl::StatusOr<StatementReport> report = DecideStatements(kTable);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->valid, 3);
  EXPECT_EQ(report->proved, 1);
  EXPECT_EQ(report->invalid, 2);
  EXPECT_EQ(report->refuted, 1);
  EXPECT_EQ(report->wrong, 2);
  EXPECT_EQ(report->unknown, 1);
  EXPECT_EQ(report->outcomes[4].residual, "x*x*x + y*y*y != z*z*z");
  EXPECT_LE(report->Percentile(50), report->Percentile(95));
  EXPECT_LE(report->Percentile(95), report->Percentile(100));
  EXPECT_THAT(report->Summary(),
              MatchesRegex("valid proved 1/3, invalid refuted 1/2, wrong 2, unknown 1, median "
                           "[0-9.]+ us, p95 [0-9.]+ us, max [0-9.]+ us"));
  EXPECT_THAT(DecideStatements("")->Summary(), HasSubstr("valid proved 0/0"));
}

TEST(Statements, AreDecidedByTheGivenProcedure) {
  int calls = 0;
  const absl::StatusOr<StatementReport> report =
      DecideStatements(kTable, [&](Context&, const Expr&) {
        ++calls;
        // No assignment serves a claim that holds.
        return Verdict{Verdict::kRefuted, "a guess", {{"x", 1}, {"y", 1}, {"z", 1}}, 0};
      });
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(report->outcomes[0].kind, Verdict::kUnknown);
  EXPECT_EQ(report->outcomes[0].by, "bad-counterexample");
  EXPECT_EQ(report->outcomes[3].kind, Verdict::kRefuted);
  EXPECT_EQ(report->outcomes[3].by, "a guess");
}

}  // namespace
}  // namespace tessera::solver
