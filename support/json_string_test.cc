#include "support/json_string.h"

#include <string>

#include "gtest/gtest.h"

namespace tessera::support {
namespace {

std::string Written(std::string_view value) {
  std::string text = "before ";
  AppendJsonString(value, text);
  return text;
}

TEST(JsonString, KeepsWhatIsPlain) {
  EXPECT_EQ(Written(""), "before \"\"");
  EXPECT_EQ(Written("2*floor(H/2) + 1"), "before \"2*floor(H/2) + 1\"");
}

TEST(JsonString, EscapesWhatMustBe) {
  EXPECT_EQ(Written("a\"b\\c\n\x1b"), R"(before "a\"b\\c\n\u001b")");
  EXPECT_EQ(Written("\x7f"), "before \"\x7f\"");
}

TEST(JsonString, IsUtf8) {
  EXPECT_EQ(Written("\xc3\xa4"), "before \"\xc3\xa4\"");
  EXPECT_EQ(Written("\xff!"), "before \"\xef\xbf\xbd!\"");
}

}  // namespace
}  // namespace tessera::support
