// Verdicts of Prover on whole statements: what Z3 adds, and that each is a function of its
// statement alone.
#include "solver/prove.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "solver/statements.h"
#include "solver/testing/statement_families.h"

namespace tessera::solver {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct Outcome {
  Verdict::Kind kind;
  std::string by;
  Assignment counterexample;
  std::string residual;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

void PrintTo(const Outcome& outcome, std::ostream* out) {
  *out << outcome.kind << " by " << outcome.by << " " << outcome.residual << " "
       << testing::PrintToString(outcome.counterexample);
}

Outcome Outcomes(Prover& prover, const std::string& text) {
  const absl::StatusOr<Statement> statement = ParseStatement(text);
  EXPECT_TRUE(statement.ok()) << text << ": " << statement.status();
  if (!statement.ok()) return {};
  Context context;
  const Verdict verdict = DecideStatement(
      context, *statement, [&](Context& c, const Expr& e) { return prover.Prove(c, e); });
  return {verdict.kind, verdict.by, verdict.counterexample, verdict.residual.ToString()};
}

Outcome OutcomeOf(const std::string& text) {
  Prover prover;
  return Outcomes(prover, text);
}

// Each reaches Z3.
constexpr const char* kForZ3[] = {
    "x >= 1 |- floordiv(floordiv(x, 8) + floordiv(x, 9), 7) <= "
    "floordiv(floordiv(x, 8) + floordiv(x, 9) + mod(floordiv(x, 9), 8), 7)",
    "x >= -5; y >= 2 |- floordiv(ceildiv(floordiv(x*(ceildiv(x, 7)*7 - mod(-x, 7)), y), 224), 14) "
    "== floordiv(ceildiv(floordiv(x*x + mod(x, y), y), 224), 14)",
    "x >= 1; y >= 1; z >= 1 |- x*x*x + y*y*y != z*z*z",
    "x >= 3; y >= x*x |- mod(z, y - 2*x) < y - 2*x",
};

TEST(Prove, ReachesZ3) {
  for (const char* text : kForZ3) {
    Prover prover;
    Outcomes(prover, text);
    EXPECT_GT(prover.queries(), 0) << text;
  }
}

TEST(Prove, DoesNotDependOnNames) {
  for (const char* text : kForZ3) {
    const Outcome plain = OutcomeOf(text);
    for (const auto& [x, y, z] :
         {std::array{"`q!1`", "`r!2`", "`k!1`"}, std::array{"`k!0`", "`k!1`", "`k!2`"}}) {
      const Outcome renamed = OutcomeOf(absl::StrReplaceAll(text, {{"x", x}, {"y", y}, {"z", z}}));
      EXPECT_EQ(renamed.kind, plain.kind) << text << " with " << x;
      EXPECT_EQ(renamed.by, plain.by) << text << " with " << x;
    }
  }
}

TEST(Prove, DependsOnTheStatementAlone) {
  std::vector<std::string> texts(std::begin(kForZ3), std::end(kForZ3));
  const std::string table = StatementFamilies(2);
  for (absl::string_view line : absl::StrSplit(table, '\n', absl::SkipEmpty())) {
    const std::vector<absl::string_view> columns = absl::StrSplit(line, '\t');
    texts.push_back(absl::StrCat(columns[2], " |- ", columns[3]));
  }
  std::vector<Outcome> alone;
  for (const std::string& text : texts) alone.push_back(OutcomeOf(text));
  const auto expect_same = [&](const std::vector<size_t>& order, const char* what) {
    Prover prover;
    for (size_t i : order)
      EXPECT_EQ(Outcomes(prover, texts[i]), alone[i]) << what << ": " << texts[i];
  };
  std::vector<size_t> order(texts.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  expect_same(order, "forward");
  std::reverse(order.begin(), order.end());
  expect_same(order, "reversed");
  // A fixed permutation: each by its rank among multiples of a number prime to 2^32.
  std::sort(order.begin(), order.end(), [](size_t a, size_t b) {
    return static_cast<uint32_t>(a) * 2654435761u < static_cast<uint32_t>(b) * 2654435761u;
  });
  expect_same(order, "shuffled");
}

TEST(Prove, AssumesNoDivisorPositive) {
  const Outcome refuted = OutcomeOf("H >= 1 |- floordiv(H, H - 4) <= H");
  EXPECT_EQ(refuted.kind, Verdict::kRefuted);
  EXPECT_EQ(refuted.by, "divisor");
  EXPECT_EQ(refuted.residual, "H - 4");
  EXPECT_THAT(refuted.counterexample, ElementsAre(Pair("H", 1)));
  for (const char* text : {
           "H >= 1 |- floordiv(H, 0) == floordiv(H, 0)",
           "H >= 1 |- floordiv(H, H - 4) - floordiv(H, H - 4) == 0",
           "H >= 1 |- H <= 3 || floordiv(H, H - 4) <= H",
           "H >= 1 |- H <= 4 && floordiv(H, H - 4) <= H",
           "H >= 1 |- (H >= 5)*floordiv(H, H - 4) >= 0",
           // What is not evaluated says nothing of its divisor.
           "H >= 1 |- ite(H >= 5, floordiv(H, H - 4) >= 0, H >= 5)",
           "X <= 0 || mod(Y, X) == 0 |- X >= 1",
       }) {
    EXPECT_EQ(OutcomeOf(text).kind, Verdict::kRefuted) << text;
  }
  for (const char* text : {
           "H >= 1 |- H <= 4 || floordiv(H, H - 4) <= H",
           "H >= 1 |- ite(H <= 4, 0, floordiv(H, H - 4)) <= H",
           "H >= 5 |- floordiv(H, H - 4) <= H",
           "A >= 3; B >= A*A |- mod(H, B - 2*A) < B - 2*A",
       }) {
    EXPECT_EQ(OutcomeOf(text).kind, Verdict::kProved) << text;
  }
  // Where a fact divides, nor does it say so.
  const Outcome fact = OutcomeOf("mod(Y, X) == 5 |- X >= 6");
  EXPECT_EQ(fact.kind, Verdict::kUnknown);
  EXPECT_EQ(fact.by, "unproved-divisor");
}

// Products under Z3's own arithmetic ran for minutes in some of these.
TEST(Prove, IsBoundedWherePolynomialsAreNot) {
  for (const char* text : {
           kForZ3[1],
           "x >= 2; y >= 2; z >= 3 |- x*x*x*x + y*y*y*y + z*z*z != x*y*z*z + 1000003",
           "x >= 0; y >= 3 |- floordiv(floordiv(x*x*x + 5, y)*floordiv(x, y), y*y + 1) <= x*x*x*x",
       }) {
    Prover prover;
    Outcomes(prover, text);
    EXPECT_LE(prover.queries(), 3) << text;
  }
}

}  // namespace
}  // namespace tessera::solver
