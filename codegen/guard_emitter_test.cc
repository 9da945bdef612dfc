#include "codegen/guard_emitter.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "codegen/guard_translator.h"
#include "codegen/program.h"

namespace tessera::codegen {
namespace {

// Of an op with one operand of each arity and one attribute of each kind.
std::string TableOf(const std::string& lowering) {
  Diagnostics diagnostics;
  Program program;
  program.Add({Source{"o.op", absl::StrCat(R"(op O {
  type T : i32 | i64
  in  x  : T[A, D...]
  in  b? : f32 rank R
  attr mode  : enum {up, down} = up
  attr flag  : bool = false
  attr scale : float = 1
  attr steps : int[len(D)] = 1 where it > 0
  attr kind  : dtype = f32
  attr k     : int = 1 where 0 < it && it < len(D)
  let  S = len(D)
  let  both = flag && S == 2
  require fits A >= S else "small"
  )",
                                           lowering, "\n}\n")}},
              diagnostics);
  EXPECT_EQ(diagnostics.Render(), "");
  return EmitGuards({program.FileOf("o.op")});
}

// The statement that the guard alone never holds: `facts |- guard`.
std::string StatementOf(const std::string& guard) {
  const std::string table = TableOf(absl::StrCat("lower toy { when ", guard, " => x  x }"));
  const std::vector<std::string> fields = absl::StrSplit(table, absl::MaxSplits('\t', 4));
  return fields.size() < 5
             ? table
             : absl::StrCat(fields[2], " |- ", fields[3].substr(2, fields[3].size() - 3));
}

TEST(GuardEmitter, OneLineForEachNumberOfClausesBefore) {
  EXPECT_EQ(TableOf("lower toy { when flag => x  when !flag => x  otherwise => x }"),
            "toy O\to.op:14:15\t`flag` >= 0; `flag` <= 1\t!((`flag` == 1))\tinvalid\n"
            "toy O\to.op:14:31\t`flag` >= 0; `flag` <= 1\t!((!(`flag` == 1)))\tinvalid\n"
            "toy O\to.op:14:31 after 14:15\t`flag` >= 0; `flag` <= 1\t"
            "!((!(`flag` == 1)) && !(`flag` == 1))\tinvalid\n"
            "toy O\to.op:14:48 after 14:15\t`flag` >= 0; `flag` <= 1\t!(!(`flag` == 1))\tinvalid\n"
            "toy O\to.op:14:48 after 14:15, 14:31\t`flag` >= 0; `flag` <= 1\t"
            "!(!(`flag` == 1) && !(!(`flag` == 1)))\tinvalid\n");
}

TEST(GuardEmitter, ASingleClauseIsReached) { EXPECT_EQ(TableOf("lower toy { x }"), ""); }

TEST(GuardEmitter, ValuesOfAttributes) {
  EXPECT_EQ(StatementOf("mode == down"), "`mode` >= 0; `mode` < 2 |- (`mode` == 1)");
  EXPECT_EQ(StatementOf("down != mode"), "`mode` >= 0; `mode` < 2 |- (!(`mode` == 1))");
  EXPECT_EQ(StatementOf("kind == u8 && true"),
            "(`kind` == 0 || `kind` == 1 || `kind` == 2 || `kind` == 3 || `kind` == 4 || "
            "`kind` == 5 || `kind` == 6 || `kind` == 7 || `kind` == 8 || `kind` == 9 || "
            "`kind` == 10 || `kind` == 11 || `kind` == 12 || `kind` == 13 || `kind` == 14 || "
            "`kind` == 15 || `kind` == 16 || `kind` == 17 || `kind` == 18 || `kind` == 19 || "
            "`kind` == 20 || `kind` == 21 || `kind` == 22) |- ((`kind` == 5) && (1 == 1))");
  EXPECT_EQ(StatementOf("scale >= -0.5"), " |- (`scale` >= -1000000)");
  EXPECT_EQ(StatementOf("0.5 < scale"), " |- (`scale` > 1000000)");
  EXPECT_EQ(StatementOf("scale == 0.1234567"),
            "`scale == 0.1234567` >= 0; `scale == 0.1234567` <= 1 |- (`scale == 0.1234567` == 1)");
  EXPECT_EQ(StatementOf("steps[0] == 2"), "(`steps[0]` > 0) |- (`steps[0]` == 2)");
}

TEST(GuardEmitter, TypesAndSizesOfOperands) {
  EXPECT_EQ(StatementOf("dtype(x) == i64"), "(`T` == 3 || `T` == 4) |- (`T` == 4)");
  EXPECT_EQ(StatementOf("dtype(b) == T"),
            "(`T` == 3 || `T` == 4); (`dtype(b)` == 11) |- (`dtype(b)` == `T`)");
  EXPECT_EQ(StatementOf("rank(b) > 2"), "`R` >= 0 |- (`R` > 2)");
  EXPECT_EQ(StatementOf("present(x) && present(b)"),
            "`present(b)` >= 0; `present(b)` <= 1 |- ((1 == 1) && (`present(b)` == 1))");
  EXPECT_EQ(StatementOf("max(2, D[0]) == mod(uses(x), 3)"),
            "`D[0]` >= 0; `uses(x)` >= 0 |- (max(2, `D[0]`) == mod(`uses(x)`, 3))");
}

// What the operands must fulfil is known of all that the guard speaks of, directly or not.
TEST(GuardEmitter, RequirementsAreFactsWhereTheyTouchTheGuard) {
  EXPECT_EQ(StatementOf("A > 1"), "`A` >= 0; `len(D)` >= 0; (`A` >= `len(D)`) |- (`A` > 1)");
  EXPECT_EQ(StatementOf("k == 3"),
            "`A` >= 0; ((0 < `k`) && (`k` < `len(D)`)); `len(D)` >= 0; (`A` >= `len(D)`) |- "
            "(`k` == 3)");
  EXPECT_EQ(StatementOf("rank(x) - len(steps ++ [1, 2]) > 0 && both"),
            "`A` >= 0; `flag` >= 0; `flag` <= 1; `len(D)` >= 0; (`A` >= `len(D)`) |- "
            "((((1 + `len(D)`) - (`len(D)` + 2)) > 0) && ((`flag` == 1) && (`len(D)` == 2)))");
}

TEST(GuardEmitter, WhatCannotBeSaidIsASymbolByItsText) {
  const auto bit = [](const std::string& symbol) {
    return absl::StrCat("`", symbol, "` >= 0; `", symbol, "` <= 1");
  };
  EXPECT_EQ(StatementOf("splat(x, 2)"),
            absl::StrCat(bit("splat(x, 2)"), " |- (`splat(x, 2)` == 1)"));
  EXPECT_EQ(StatementOf("steps != D"),
            absl::StrCat(bit("steps == D"), " |- (!(`steps == D` == 1))"));
  EXPECT_EQ(StatementOf("exists d in D: d != 1"),
            absl::StrCat(bit("forall d in D: d == 1"), " |- (!(`forall d in D: d == 1` == 1))"));
  EXPECT_EQ(
      StatementOf("exists d in D: d < 1"),
      absl::StrCat(bit("forall d in D: !(d < 1)"), " |- (!(`forall d in D: !(d < 1)` == 1))"));
  EXPECT_EQ(StatementOf("proved(flag)"),
            absl::StrCat(bit("flag"), "; ", bit("proved(flag)"),
                         " |- ((`flag` == 1) && (`proved(flag)` == 1))"));
}

TEST(GuardEmitter, ANameOfTheLoweringIsWhatItNamesWhereItStands) {
  const std::string table = TableOf(
      "lower toy { let n = S + 1 when n == 2 => x let n = S when n == 2 && D == [n] => x  x }");
  EXPECT_NE(table.find("!(((`len(D)` + 1) == 2))"), std::string::npos) << table;
  // The text names the second `n`, which is not that of the same text before.
  EXPECT_NE(table.find("!(((`len(D)` == 2) && (`D == [n]'` == 1)) && !((`len(D)` + 1) == 2))"),
            std::string::npos)
      << table;
}

TEST(GuardEmitter, NoTextBreaksTheTable) {
  EXPECT_EQ(StatementOf("named(x, \"a`b\")"),
            "`named(x, \"a'b\")` >= 0; `named(x, \"a'b\")` <= 1 |- (`named(x, \"a'b\")` == 1)");
  std::string lets = "let n0 = S + 1 ";
  for (int i = 1; i <= 64; ++i)
    absl::StrAppend(&lets, "let n", i, " = n", i - 1, " + n", i - 1, " ");
  EXPECT_LT(TableOf(absl::StrCat("lower toy { ", lets, "when n64 > 0 => x  x }")).size(),
            size_t{1} << 18);
}

TEST(GuardEmitter, SymbolsOfAStatement) {
  EXPECT_EQ(SymbolsIn("(`a b` == `c`) && `a b` > 1"), (std::set<std::string>{"a b", "c"}));
  EXPECT_EQ(SymbolsIn("1 == 1"), std::set<std::string>{});
  EXPECT_EQ(SymbolsIn("`a` and ` without end"), std::set<std::string>{"a"});
}

}  // namespace
}  // namespace tessera::codegen
