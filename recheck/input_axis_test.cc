#include "recheck/input_axis.h"

#include "gtest/gtest.h"

namespace tessera::recheck {
namespace {

TEST(InputAxisTest, PlainNames) { EXPECT_EQ(AxisOfInput(2, "x/y"), "dim 2 of input `x/y`"); }

TEST(InputAxisTest, EscapesWhatIsNotPlain) {
  EXPECT_EQ(AxisOfInput(0, "x\x1b[31m\x07"), "dim 0 of input `x\\x1b[31m\\x07`");
  EXPECT_EQ(AxisOfInput(0, "a`b"), "dim 0 of input `a\\x60b`");
  EXPECT_EQ(AxisOfInput(1, "\xc3\xa9"), "dim 1 of input `\\xc3\\xa9`");
}

TEST(InputAxisTest, CutsLongNames) {
  EXPECT_EQ(AxisOfInput(0, std::string(121, 'x')),
            "dim 0 of input `" + std::string(120, 'x') + "...`");
  EXPECT_EQ(AxisOfInput(0, std::string(120, 'x')),
            "dim 0 of input `" + std::string(120, 'x') + "`");
  EXPECT_EQ(AxisOfInput(0, std::string(119, 'x') + "\xc3\xa9"),
            "dim 0 of input `" + std::string(119, 'x') + "...`");
}

}  // namespace
}  // namespace tessera::recheck
