#include "passes/compression/scopes/expression.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::compression {
namespace {

TEST(Expressions, AreFoundInAddresses) {
  const auto found = FoundIn("^a/.*Conv", {"a/b/Conv_0", "b/a/Conv_0", ""});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*found, (std::vector<bool>{true, false, false}));
  EXPECT_TRUE(FoundIn("a", {}).ok());
}

TEST(Expressions, ThatAreNoneSaySo) {
  EXPECT_EQ(FoundIn("(", {"a"}).status().message().substr(0, 27), "is no regular expression: M");
}

// Each of these ends a process whose stack is an ordinary one, without the limits any.
TEST(Expressions, ThatAreDeepDoNotEndTheProcess) {
  const auto nested = [](size_t depth) {
    return "(" + std::string(depth, '(') + "." + std::string(depth, ')') + ")*";
  };
  EXPECT_TRUE(FoundIn(nested(30), {std::string(2000, 'b')}).ok());
  EXPECT_TRUE(FoundIn(nested(490), {std::string(150, 'b')}).ok());
  for (const std::string& expression :
       {nested(100), std::string(100000, 'a'),
        std::string(100000, '(') + "a" + std::string(100000, ')')}) {
    const absl::Status status = FoundIn(expression, {std::string(2000, 'b')}).status();
    EXPECT_NE(status.message().find("at most 75 are looked for in addresses of up to 2000"),
              absl::string_view::npos)
        << status;
  }
}

}  // namespace
}  // namespace tessera::compression
