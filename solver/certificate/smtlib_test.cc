#include "solver/certificate/smtlib.h"

#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "solver/certificate/search.h"
#include "solver/certificate/solver.h"

namespace tessera::certificate {
namespace {

std::string Query(const Certificate& certificate, const std::string& statement) {
  const auto problem = Problem::Read(certificate);
  if (!problem.ok()) return std::string(problem.status().message());
  const auto claim = problem->ReadClaim(statement);
  return claim.ok() ? ToSmtLib(*problem, *claim) : std::string(claim.status().message());
}

TEST(SmtLib, AQuery) {
  Certificate c;
  c.symbols = {
      {"H", "", 2, 4096, 2, 0}, {"unconnected", "", 1, {}, 1, 0}, {"dim 3", "", -1, {}, 1, 0}};
  c.facts = {{"H >= `dim 3`", ""}, {"unconnected >= 1", ""}};
  EXPECT_EQ(Query(c, "t = floordiv(H - 2, 2) + 1; t*2 == H"),
            "(set-logic ALL)\n"
            "(declare-const $H Int)\n"
            "(assert (<= 2 $H))\n"
            "(assert (<= $H 4096))\n"
            "(declare-const multiple$H Int)\n"
            "(assert (= $H (+ (* 2 multiple$H) 0)))\n"
            "(declare-const $dim%203 Int)\n"
            "(assert (<= (- 1) $dim%203))\n"
            "(assert (>= $H $dim%203))\n"
            "(define-fun t1 () Int (- $H 2))\n"
            "(declare-const q2 Int)\n"
            "(assert (<= 0 (- t1 (* 2 q2)) 1))\n"
            "(assert (not (= (* (+ q2 1) 2) $H)))\n"
            "(check-sat)\n");
}

TEST(SmtLib, AWiderQueryHasLeastValuesOfOne) {
  Certificate c;
  c.symbols = {{"H", "", 40, 4096, 2, 0}, {"W", "", 0, {}, 1, 0}};
  const auto wider = [&](const std::string& statement) {
    const auto problem = Problem::Read(c);
    return ToWiderSmtLib(*problem, *problem->ReadClaim(statement));
  };
  EXPECT_EQ(wider("H*W >= 0"),
            "(set-logic ALL)\n"
            "(declare-const $H Int)\n"
            "(assert (<= 1 $H))\n"
            "(assert (<= $H 4096))\n"
            "(declare-const multiple$H Int)\n"
            "(assert (= $H (+ (* 2 multiple$H) 0)))\n"
            "(declare-const $W Int)\n"
            "(assert (<= 0 $W))\n"
            "(assert (not (>= (* $H $W) 0)))\n"
            "(check-sat)\n");
  EXPECT_EQ(wider("W >= 0"), "");
}

TEST(SmtLib, DivisorsAreObligations) {
  Certificate c;
  c.symbols = {{"x", "", {}, {}, 1, 0}, {"y", "", {}, {}, 1, 0}};
  EXPECT_THAT(Query(c, "mod(x, y) == 0"), testing::HasSubstr("(assert (not (and (>= $y 1) (= "));
  EXPECT_THAT(Query(c, "y >= 1 && mod(x, y) == 0"),
              testing::HasSubstr("(ite (>= $y 1) (>= $y 1) true)"));
  EXPECT_THAT(Query(c, "mod(x, 0) == 0"), testing::HasSubstr("(not (and false (= "));
}

TEST(SmtLib, Errors) {
  Certificate c;
  c.symbols = {{"x", "", {}, {}, 1, 0}};
  EXPECT_EQ(Query(c, "x == z"), "symbol `z` is not declared");
  EXPECT_EQ(Query(c, "x = 1; x == 1"), "a term has the name of symbol `x`");
  EXPECT_EQ(Query(c, "x =="), "column 5: wanted is an integer, a name or `(`");
  c.obligations.push_back({});
  c.obligations[0].statement = "x";
  EXPECT_TRUE(FillSmtLib(c).ok());
  EXPECT_EQ(c.obligations[0].smt2, Query(c, "x"));
  c.obligations[0].statement = "x +";
  EXPECT_EQ(FillSmtLib(c).message(),
            "statement `x +`: column 4: wanted is an integer, a name or `(`");
  c.symbols.push_back(c.symbols[0]);
  EXPECT_EQ(Query(c, "x"), "symbol `x` is there twice");
  c.symbols.pop_back();
  c.facts = {{"x < ", ""}};
  EXPECT_EQ(Query(c, "x"), "fact `x < `: column 5: wanted is an integer, a name or `(`");
}

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}
  std::string Proposition(int depth) {
    switch (Below(depth > 0 ? 8 : 4)) {
      case 4:
        return Paren(Proposition(depth - 1) + " && " + Proposition(depth - 1));
      case 5:
        return Paren(Proposition(depth - 1) + " || " + Proposition(depth - 1));
      case 6:
        return "!" + Paren(Proposition(depth - 1));
      default: {
        static const char* const kComparisons[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
        return Paren(Integer(depth) + kComparisons[Below(6)] + Integer(depth));
      }
    }
  }
  std::string Integer(int depth) {
    if (depth == 0) return Below(3) == 0 ? std::to_string(Below(9) - 4) : Below(2) ? "x" : "y";
    static const char* const kDivisions[] = {"floordiv", "ceildiv", "mod", "truncdiv"};
    switch (Below(9)) {
      case 0:
        return Paren(Integer(depth - 1) + " + " + Integer(depth - 1));
      case 1:
        return Paren(Integer(depth - 1) + " - " + Integer(depth - 1));
      case 2:
        return Paren(Integer(depth - 1) + " * " + std::to_string(Below(5) - 2));
      case 3:
        return Below(2) ? "-" + Paren(Integer(depth - 1)) : "abs(" + Integer(depth - 1) + ")";
      case 4:
        return std::string(Below(2) ? "min(" : "max(") + Integer(depth - 1) + ", " +
               Integer(depth - 1) + ")";
      case 5:
        return "ite(" + Proposition(depth - 1) + ", " + Integer(depth - 1) + ", " +
               Integer(depth - 1) + ")";
      case 6:
        return std::string(kDivisions[Below(4)]) + "(" + Integer(depth - 1) + ", " +
               Integer(depth - 1) + ")";
      default:
        return std::string(kDivisions[Below(4)]) + "(" + Integer(depth - 1) + ", " +
               std::to_string(1 + Below(5)) + ")";
    }
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  static std::string Paren(const std::string& text) { return "(" + text + ")"; }
  std::mt19937 random_;
};

Cvc5 FoundCvc5() {
  return Cvc5(FindCvc5().value(), std::chrono::steady_clock::now() + std::chrono::minutes(5));
}

// The meaning that cvc5 gives to the query is that of evaluation.
TEST(SmtLib, AgreesWithEvaluation) {
  Certificate c;
  c.symbols = {{"x", "", -7, 9, 2, 1}, {"y", "", -2, 6, 1, 0}};
  c.facts = {{"ite(x < y, mod(x, 3) != 2, y >= -1)", ""}};
  const auto problem = Problem::Read(c);
  ASSERT_TRUE(problem.ok());
  Generator generator(7);
  std::vector<std::string> statements, queries;
  std::vector<Trial> trials;
  size_t valid = 0;
  while (statements.size() < 240) {
    const std::string statement = generator.Proposition(3);
    const auto claim = problem->ReadClaim(statement);
    ASSERT_TRUE(claim.ok()) << claim.status() << " " << statement;
    const Trial trial = Search(*problem, *claim, {1, 1}).Exhaust();
    ASSERT_TRUE(trial.complete || trial.violated) << statement;
    // As many that hold as that do not.
    if (trial.violated && statements.size() - valid >= 120) continue;
    valid += trial.complete;
    statements.push_back(statement);
    trials.push_back(trial);
    queries.push_back(ToSmtLib(*problem, *claim));
  }
  EXPECT_GE(valid, 120u);
  const auto answers = FoundCvc5().Decide(queries, kAttempts[0]);
  ASSERT_TRUE(answers.ok()) << answers.status();
  int unknown = 0;
  for (size_t i = 0; i < queries.size(); ++i) {
    EXPECT_NE((*answers)[i].answer, Answer::kFailed);
    if ((*answers)[i].answer == Answer::kUnknown) {
      ++unknown;
    } else {
      EXPECT_EQ((*answers)[i].answer == Answer::kUnsat, trials[i].complete) << statements[i] << "\n"
                                                                            << queries[i];
    }
  }
  EXPECT_LE(unknown, 4);
}

TEST(SmtLib, ModelsViolate) {
  Certificate c;
  c.symbols = {{"x", "", {}, {}, 1, 0}, {"dim %", "", 2, {}, 5, 1}};
  const std::string statement = "x >= 0 || `dim %` != 21 || x < -3";
  const auto problem = Problem::Read(c);
  const auto claim = problem->ReadClaim(statement);
  ASSERT_TRUE(claim.ok());
  const std::vector<int64_t> model = FoundCvc5().Model(
      ToSmtLib(*problem, *claim), {SmtLibName("x"), SmtLibName("dim %")}, kAttempts[0]);
  ASSERT_EQ(model.size(), 2u);
  EXPECT_EQ(Evaluator(*claim).Evaluate(model), Truth::kViolated);
  EXPECT_EQ(model[1], 21);
}

}  // namespace
}  // namespace tessera::certificate
