#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "frontends/pt2/guard_values.h"
#include "frontends/pt2/input_size.h"
#include "frontends/pt2/size_text.h"

namespace tessera::pt2_import {
namespace {

constexpr int64_t kMost = (int64_t{1} << 31) - 1;

InputSizes Sizes() {
  return {{{"x", 0}, {"s0", {"s0"}, true}},      {{"x", 1}, {"s1", {"s1"}, true}},
          {{"x", 2}, {"10", {}, true}},          {{"x", 3}, {"s0 + 8", {"s0"}, false}},
          {{"d_q_1", 0}, {"s0", {"s0"}, true}},  {{"pair_first", 0}, {"s1", {"s1"}, true}},
          {{"xs_0", 1}, {"s0", {"s0"}, true}},   {{"e_a_b", 0}, {"s0", {"s0"}, true}},
          {{"e_a_b_1", 0}, {"s1", {"s1"}, true}}};
}

// `A`, `B`: sizes 0 and 1 of the input `x`.
std::string Guarded(const std::string& text) {
  return absl::StrReplaceAll(text, {{"A", "L['x'].size()[0]"}, {"B", "L['x'].size()[1]"}});
}

std::string Read(const std::string& text) {
  const absl::StatusOr<Guard> guard = ReadGuard(Guarded(text), Sizes());
  if (!guard.ok()) return "";
  return absl::StrCat(guard->left.text, " ", guard->comparison, " ", guard->right.text);
}

TEST(Guards, NamesAreThoseOfTheProgram) {
  EXPECT_EQ(Read("3*L['d']['q-1'].size()[0] > 25"), "(3 * s0) > 25");
  EXPECT_EQ(Read("L['D'][\"q-1\"].size()[0] > 25"), "s0 > 25");
  EXPECT_EQ(Read("L['pair'].first.size()[0] > 25"), "s1 > 25");
  EXPECT_EQ(Read("L['xs'][0].size()[1] > 25"), "s0 > 25");
  EXPECT_EQ(Read("L['x'].size()[2] == 10"), "10 == 10");
  EXPECT_EQ(Read("L['x'].size()[3] % 4 == 0"), "mod((s0 + 8), 4) == 0");
  EXPECT_EQ(Read("L['e']['a_b'].size()[0] > 25"), "s0 > 25");
  // Of two that became one name.
  EXPECT_EQ(Read("L['e']['a-b'].size()[0] > 25"), "");
  EXPECT_EQ(Read("L['y'].size()[0] > 25"), "");
  EXPECT_EQ(Read("L['x'].size()[7] > 25"), "");
  EXPECT_EQ(Read("L['x'].stride()[0] > 25"), "");
}

TEST(Guards, WholeNumbers) {
  EXPECT_EQ(Read("math.ceil(A / 2) > 4"), "ceildiv(s0, 2) > 4");
  EXPECT_EQ(Read("math.floor(A / 2) > 4"), "floordiv(s0, 2) > 4");
  EXPECT_EQ(Read("math.trunc((A + (-9)) / 2) > 4"), "truncdiv((s0 + (0 - 9)), 2) > 4");
  EXPECT_EQ(Read("(A & 1) == 0"), "mod(s0, 2) == 0");
  EXPECT_EQ(Read("(A & 7) == 0"), "mod(s0, 8) == 0");
  for (const char* text : {"(A & 6) == 0", "(A & B) == 0", "A / 2 > 4.0", "2 ** A > 600",
                           "math.ceil(0.3*torch.sym_float(A)) > 4"})
    EXPECT_EQ(Read(text), "") << text;
}

std::string Bounds(const std::string& text) {
  const auto bounds = BoundsWhereHolds(Guarded(text), Sizes(), 1, kMost);
  if (!bounds) return "unread";
  return absl::StrJoin(*bounds, " ", [](std::string* out, const Guard& guard) {
    absl::StrAppend(out, guard.left.text, guard.comparison, guard.right.text);
  });
}

// The numbers are those of Python.
TEST(Guards, FloatsOfOneSize) {
  EXPECT_EQ(Bounds("(A / 2) > 4.0"), "s0>=9");
  EXPECT_EQ(Bounds("(A / 2) <= 4.0"), "s0<=8");
  EXPECT_EQ(Bounds("4.0 < A / 2"), "s0>=9");
  EXPECT_EQ(Bounds("0.3*torch.sym_float(A) > 2.5"), "s0>=9");
  EXPECT_EQ(Bounds("0.1*torch.sym_float(A) > 0.3"), "s0>=3");  // 0.1 * 3 is 0.30000000000000004
  EXPECT_EQ(Bounds("round(A / 3) == 3"), "s0>=8 s0<=10");
  EXPECT_EQ(Bounds("round(A / 2) == 2"), "s0>=3 s0<=5");  // halves to even numbers
  EXPECT_EQ(Bounds("math.trunc(0.3*torch.sym_float(A)) == 3"), "s0>=10 s0<=13");
  EXPECT_EQ(Bounds("math.trunc(0.3*torch.sym_float(A)) != 1"), "s0!=4 s0!=5 s0!=6");
  EXPECT_EQ(Bounds("2 ** A > 600"), "s0>=10");
  EXPECT_EQ(Bounds("torch._sym_sqrt(A) >= 3.0"), "s0>=9");
  EXPECT_EQ(Bounds("10 / A > 1.9"), "s0<=5");
  EXPECT_EQ(Bounds("7.5 - torch.sym_float(A) >= 2.0"), "s0<=5");
  EXPECT_EQ(Bounds("(A + L['x'].size()[2]) / 4 > 3.5"), "s0>=5");
  EXPECT_EQ(Bounds("A / 2 > 1e+01"), "s0>=21");
  EXPECT_EQ(Bounds("A / 2 > -1.0"), "");
}

TEST(Guards, WhatHasNoBounds) {
  for (const char* text :
       {"A / B > 2.0", "(A % 3) / 2 > 0.5", "A / 2 - A > 2.0", "A*A / 2 > 9.0", "A / 2 < 0.0",
        "A / 0 > 1.0", "(A / 2) > 4.0 or A == 1", "math.log(A) > 2.0", "A / 2 > B",
        "L['y'].size()[0] / 2 > 1.0", "1.0 > 2.0", "", "(", "A / 2 >", "L[", "L['x",
        "L['x'].size()[", "(-2) ** A > 5"})
    EXPECT_EQ(Bounds(text), "unread") << text;
  EXPECT_EQ(Bounds(std::string(1000, '(') + "A" + std::string(1000, ')') + " / 2 > 1.0"), "unread");
}

std::optional<bool> Holds(const std::string& text, int64_t a, int64_t b) {
  return HoldsAt(Guarded(text), Sizes(), [&](const SizeText& size) -> std::optional<int64_t> {
    return size.text == "s0" ? a : size.text == "s1" ? b : 10;
  });
}

TEST(Guards, AtNumbers) {
  EXPECT_EQ(Holds("A / B > 1.5", 16, 10), true);
  EXPECT_EQ(Holds("A / B > 1.5", 15, 10), false);
  EXPECT_EQ(Holds("(A % 2) == 0 or B == 3", 5, 3), true);
  EXPECT_EQ(Holds("(A % 2) == 0 or (B == 3 and not (A == 5))", 5, 3), false);
  EXPECT_EQ(Holds("((A + 1) / 2) > 2.0 and (A & 6) == 4", 5, 3), true);
  EXPECT_EQ(Holds("A*A*A*A*A*A > A", 2000000000, 1), true);
  EXPECT_EQ(Holds("A ** A > A ** B", 2000000000, 2000000000), std::nullopt);
  EXPECT_EQ(Holds("math.log(A) > 2.0", 5, 3), std::nullopt);
}

TEST(Guards, PartsThatAllHold) {
  const auto parts = [](const char* text) { return absl::StrJoin(ConjunctsOf(text), "|"); };
  EXPECT_EQ(parts("a >= 1 and (b and c) >= 1 and d"), "a >= 1|(b and c) >= 1|d");
  EXPECT_EQ(parts("L['x and y'].size()[0] >= 1"), "L['x and y'].size()[0] >= 1");
  EXPECT_EQ(parts("a and b or c"), "a and b or c");
}

}  // namespace
}  // namespace tessera::pt2_import
