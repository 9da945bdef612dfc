#include "recheck/size_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recheck/guard_number.h"

namespace tessera::recheck {
namespace {

// The left side of a guard over `L['x'].size()[1]`, where that is `size`.
std::optional<int64_t> LeftAt(const std::string& text, int64_t size) {
  Terms terms;
  SizeNames names;
  names.size = [&](const std::string&, int64_t) { return std::optional(terms.Integer(size)); };
  const std::optional<Guard> guard = ReadGuard(text, names, terms);
  return guard ? terms.Number(guard->left) : std::nullopt;
}

TEST(SizeReader, WhatPythonRounds) {
  EXPECT_EQ(LeftAt("math.trunc(L['x'].size()[1] / 3) == 6", 20), 6);
  EXPECT_EQ(LeftAt("math.trunc((L['x'].size()[1] - 20) / 3) == 0", 18), 0);
  EXPECT_EQ(LeftAt("math.floor((L['x'].size()[1] - 20) / 3) == 0", 18), -1);
  EXPECT_EQ(LeftAt("math.trunc(0.75*torch.sym_float(L['x'].size()[1])) == 9", 13), 9);
  EXPECT_EQ(LeftAt("16*math.trunc(L['x'].size()[1] / 2) >= 2", 7), 48);
  EXPECT_EQ(LeftAt("torch.sym_max(1, math.trunc(L['x'].size()[1] / 3)) != 8", 1), 1);
}

TEST(GuardNumber, WhatPythonComputes) {
  const auto holds = [](const char* text, int64_t size) {
    return GuardHolds(text, [&](const std::string& input, int64_t axis) {
      return input == "x_q" && axis == 1 ? std::optional(size) : std::nullopt;
    });
  };
  EXPECT_EQ(holds("0.1*torch.sym_float(L['x'].q.size()[1]) > 0.3", 3), true);
  EXPECT_EQ(holds("0.1*torch.sym_float(L['x']['q'].size()[1]) > 0.3", 2), false);
  EXPECT_EQ(holds("round(L['x'].q.size()[1] / 2) == 2", 5), true);
  EXPECT_EQ(holds("round(L['x'].q.size()[1] / 2) == 2", 6), false);
  EXPECT_EQ(holds("2 ** L['x'].q.size()[1] > 600", 2000), true);
  EXPECT_EQ(holds("(L['x'].q.size()[1] & 6) == 4", 5), true);
  EXPECT_EQ(holds("-L['x'].q.size()[1] // 2 == -3", 5), true);
  EXPECT_EQ(holds("math.ceil(L['x'].q.size()[1] / 2) >= 1e-01", 5), true);
  for (const char* text : {"L['x'].size()[1] > 3", "L['x'].q.size()[0] > 3", "L['x'].q.size()[1]",
                           "2 ** L['x'].q.size()[1] == 3 ** L['x'].q.size()[1]", "1 / 0 > 3", "L[",
                           "L['x'].q.size()[1] > 3 or 1 > 2"})
    EXPECT_EQ(holds(text, 2000), std::nullopt) << text;
}

TEST(GuardNumber, PartsOfGuards) {
  EXPECT_EQ(PartsOfGuard("a >= 1 and (b and c) and L['d and e']"),
            (std::vector<std::string>{"a >= 1", "(b and c)", "L['d and e']"}));
}

// Of 0.7, which floats do not hold, floors may be others.
TEST(SizeReader, WhatIsNotRead) {
  for (const char* text : {"math.trunc(0.7*torch.sym_float(L['x'].size()[1])) == 8",
                           "math.trunc(L['x'].size()[1]) == 8", "math.trunc(0.75*) == 8",
                           "math.ceil(L['x'].size()[1] / 3) == 8"})
    EXPECT_EQ(LeftAt(text, 12), std::nullopt) << text;
}

}  // namespace
}  // namespace tessera::recheck
