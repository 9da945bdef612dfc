#include "ir/checker.h"

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace tessera::ir {
namespace {

std::string Text() { return "x is y"; }

TEST(CheckerTest, ConcreteKeepsTheFirstFailure) {
  Checker<int64_t> checker;
  EXPECT_TRUE(checker.Require("a", true, Text));
  EXPECT_TRUE(checker.status().ok());
  EXPECT_FALSE(checker.Require("b", false, Text));
  EXPECT_FALSE(checker.Require("c", false, Text));
  EXPECT_EQ(checker.failed(), "b");
  EXPECT_EQ(checker.status().message(), "constraint `b`: x is y");
}

TEST(CheckerTest, SymbolicProvesRefutesOrLeavesOpen) {
  solver::Context context;
  const Expr h = context.Symbol("H"), w = context.Symbol("W");
  Checker<Expr> checker(context);
  EXPECT_TRUE(checker.Require("proved", solver::Ge(h + w, 2), Text));
  EXPECT_TRUE(checker.open().empty());
  // a^3 + b^3 = c^3 has no solution in positive numbers, which is beyond cheap layers.
  const Expr a = context.Symbol("A"), b = context.Symbol("B"), c = context.Symbol("C");
  const Expr fermat = solver::Ne(a * a * a + b * b * b, c * c * c);
  EXPECT_TRUE(checker.Require("fermat", fermat, Text));
  ASSERT_EQ(checker.open().size(), 1u);
  EXPECT_EQ(checker.open()[0].constraint, "fermat");
  EXPECT_EQ(checker.open()[0].message, "x is y");
  EXPECT_EQ(checker.open()[0].predicate, fermat);
  EXPECT_TRUE(checker.status().ok());

  EXPECT_FALSE(checker.Require("refuted", solver::Ge(h, 2), Text));
  EXPECT_EQ(checker.failed(), "refuted");
  EXPECT_TRUE(absl::StrContains(checker.status().message(), "constraint `refuted`: x is y (`"));
  EXPECT_TRUE(
      absl::StrContains(checker.status().message(), "is false for H=1; true with `--dim H=2..`"))
      << checker.status();
}

TEST(CheckerTest, OverflowIsAFailure) {
  solver::Context context;
  Checker<Expr> checker(context);
  EXPECT_FALSE(checker.Require("size", Expr::Invalid(), Text));
  EXPECT_TRUE(absl::StrContains(checker.status().message(), "overflows"));
}

}  // namespace
}  // namespace tessera::ir
