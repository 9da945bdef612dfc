#include "recheck/terms.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "recheck/fingerprint.h"

namespace tessera::recheck {
namespace {

Dim Parsed(Terms& terms, const std::string& text) {
  return terms.Import(certificate::ParseStatement(text).value());
}

TEST(Terms, TextsReadBack) {
  Terms terms;
  for (const char* text :
       {"floordiv(H + 1, 2)*2 == H", "t1 = mod(H, 4); t1*t1 - (H - (W - 3)) >= (-2)",
        "!(H < W) || ite(H == W, -H, abs(W)) != min(H, 2, W)", "`a b` > H && (H == 2 || W <= 1)"}) {
    const Dim dim = Parsed(terms, text);
    EXPECT_EQ(Parsed(terms, terms.Text(dim)), dim) << text << " became " << terms.Text(dim);
  }
}

TEST(Terms, NumbersAndNeutralOperandsGo) {
  Terms terms;
  EXPECT_EQ(terms.Number(Parsed(terms, "floordiv(-7, 2) + mod(-7, 2) + truncdiv(-7, 2)")),
            -4 + 1 - 3);
  EXPECT_EQ(Parsed(terms, "1*H + 0"), Parsed(terms, "H"));
  EXPECT_EQ(Parsed(terms, "truncdiv(H, -3)"), Parsed(terms, "0 - truncdiv(H, 3)"));
  EXPECT_EQ(terms.Number(Parsed(terms, "truncdiv(-7, -2)")), 3);
  EXPECT_EQ(Parsed(terms, "1 == 1 && H == 2"), Parsed(terms, "H == 2"));
  EXPECT_FALSE(terms.Number(Parsed(terms, "mod(1, 0)")).has_value());
  EXPECT_FALSE(terms.Number(Parsed(terms, "9223372036854775807 + 1")).has_value());
}

TEST(Fingerprints, TellStatementsApart) {
  Terms terms;
  Fingerprints prints(terms);
  const auto same = [&](const std::string& a, const std::string& b) {
    const Dim x = Parsed(terms, a), y = Parsed(terms, b);
    return prints.Of(x) == prints.Of(y);
  };
  EXPECT_TRUE(same("H*2 == W", "W == H + H"));
  EXPECT_TRUE(same("H >= W + 1", "W + 1 <= H"));
  EXPECT_TRUE(same("H == W || H == 1", "H == 1 || W == H"));
  // What holds for all sizes, or for all that are declared, is no other such statement.
  EXPECT_FALSE(same("floordiv(H, 2)*2 == H", "H == H"));
  EXPECT_FALSE(same("floordiv(H, 2) == floordiv(H, 2)", "H == H"));
  EXPECT_FALSE(same("H >= 0", "H + 1 >= 0"));
  EXPECT_FALSE(same("H >= 0", "W >= 0"));
  EXPECT_FALSE(same("H == W", "H == W || H == 1"));
  EXPECT_FALSE(same("H == W", "H >= W"));
  // At one small size only: the second of so many parts.
  for (const int parts : {3, 5, 7}) {
    const std::string first = absl::StrCat("ceildiv(H, ", parts, ")");
    EXPECT_FALSE(same(first, absl::StrCat("min(2*", first, ", H) - ", first)));
  }
}

TEST(Fingerprints, StayWhileOthersAreAsked) {
  Terms terms;
  Fingerprints prints(terms);
  const Dim first = Parsed(terms, "H == W");
  const std::string* const print = &prints.Of(first);
  for (int i = 0; i < 1000; ++i) prints.Of(Parsed(terms, absl::StrCat("H == ", i)));
  EXPECT_EQ(&prints.Of(first), print);
}

TEST(Fingerprints, WhatRangesMakeNumbers) {
  Terms terms;
  Fingerprints prints(terms);
  prints.Declare(terms.Symbol("H"), 4, 7, 1, 0);
  EXPECT_TRUE(prints.IsOfNumbers(Parsed(terms, "floordiv(H, 4) >= 1 && 0 < floordiv(H, 4)")));
  EXPECT_FALSE(prints.IsOfNumbers(Parsed(terms, "floordiv(H, 2) >= 1")));
  EXPECT_FALSE(prints.IsOfNumbers(Parsed(terms, "W >= 1")));
  EXPECT_TRUE(prints.IsOfNumbers(Parsed(terms, "W >= 1 || H - H == 0")));
  EXPECT_FALSE(prints.IsOfNumbers(Parsed(terms, "W >= 1 && H - H == 0")));
  EXPECT_EQ(prints.OfAdmitted(Parsed(terms, "W >= 1 && min(H, 1) == 1 && H - H == 0")),
            prints.OfAdmitted(Parsed(terms, "W >= 1")));
  EXPECT_NE(prints.OfAdmitted(Parsed(terms, "W >= 1 && H == H")),
            prints.OfAdmitted(Parsed(terms, "W >= 1")));
}

}  // namespace
}  // namespace tessera::recheck
