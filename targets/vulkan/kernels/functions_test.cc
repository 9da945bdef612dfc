#include "targets/vulkan/kernels/functions.h"

#include <gtest/gtest.h>

#include <string>

namespace tessera::vulkan {
namespace {

TEST(Functions, AreThoseThatAreCalledAndWhatTheseCall) {
  EXPECT_EQ(FunctionsFor("a + b"), "");
  const std::string text = FunctionsFor("FloatModulo(a, b)");
  EXPECT_NE(text.find("float FloatModulo("), std::string::npos);
  EXPECT_NE(text.find("float FloatRemainder("), std::string::npos);
  EXPECT_EQ(text.find("float FloatErf("), std::string::npos);
}

// As many of it in a row as a transposition has took a driver minutes to compile when it was a
// loop. Rounds that nobody counts end sums on a driver that does.
TEST(Functions, HaveNoLoop) {
  for (const std::string name : {"FloatErf", "DoubleExp", "DoubleLog"}) {
    const std::string text = FunctionsFor(name + "(x)");
    EXPECT_NE(text.find(" " + name + "("), std::string::npos);
    EXPECT_EQ(text.find("for ("), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace tessera::vulkan
