#include "recheck/size_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

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

// Of 0.7, which floats do not hold, floors may be others.
TEST(SizeReader, WhatIsNotRead) {
  for (const char* text : {"math.trunc(0.7*torch.sym_float(L['x'].size()[1])) == 8",
                           "math.trunc(L['x'].size()[1]) == 8", "math.trunc(0.75*) == 8",
                           "math.ceil(L['x'].size()[1] / 3) == 8"})
    EXPECT_EQ(LeftAt(text, 12), std::nullopt) << text;
}

}  // namespace
}  // namespace tessera::recheck
