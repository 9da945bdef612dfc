#include "tools/cli/configuration.h"

#include <gtest/gtest.h>

namespace tessera::cli {
namespace {

passes::Pipeline Known() {
  return {{"fold", "", passes::Phase::kCanonicalize, passes::Numerics::kExact, nullptr},
          {"canonicalize", "", passes::Phase::kCanonicalize, passes::Numerics::kLastBits, nullptr}};
}

std::string MessageOf(const std::string& text) {
  passes::RunOptions options;
  return std::string(ParseConfiguration("c.yaml", text, Known(), options).message());
}

TEST(Configuration, SwitchesPassesOff) {
  passes::RunOptions options;
  const absl::Status status = ParseConfiguration(
      "c.yaml", "version: \"1.0\"\npasses:\n  fold: off\n  canonicalize: on\n", Known(), options);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(options.disabled, std::set<std::string>{"fold"});
}

TEST(Configuration, NamesWhatIsWrong) {
  EXPECT_NE(MessageOf("version: \"1.0\"\npases: {}\n")
                .find("c.yaml:2:1: unknown key `pases`; did you mean `passes`?"),
            std::string::npos);
  EXPECT_NE(MessageOf("version: \"1.0\"\npasses:\n  canonicalise: off\n")
                .find("did you mean `canonicalize`?"),
            std::string::npos);
  EXPECT_NE(MessageOf("version: \"2.0\"\n").find("version must be \"1.0\""), std::string::npos);
  EXPECT_NE(MessageOf("passes: {}\n").find("`version` is missing"), std::string::npos);
  EXPECT_NE(MessageOf("version: \"1.0\"\npasses:\n  fold: maybe\n").find("`on` or `off`"),
            std::string::npos);
  EXPECT_EQ(MessageOf("version: \"1.0\"\npasses: {}\npasses: {}\n"),
            "c.yaml:3:1: key `passes` twice");
  EXPECT_EQ(MessageOf("version: \"1.0\"\npasses: {fold: on, fold: off}\n"),
            "c.yaml:2:20: key `fold` twice");
  EXPECT_EQ(MessageOf("version: \"1.0\"\n---\nversion: \"1.0\"\n"),
            "c.yaml:3:1: a second document");
  EXPECT_EQ(MessageOf("version: \"1.0\"\n? [a]\n: b\n"), "c.yaml:2:3: a key must be a name");
  EXPECT_EQ(MessageOf("version: \"1.0\"\n\"a\\e[31m\\nb\": 1\n"),
            "c.yaml:2:1: unknown key `a\\x1b[31m\\nb`");
  EXPECT_NE(MessageOf("").find("a mapping with `version` is needed"), std::string::npos);
  EXPECT_NE(MessageOf("version: [\n").find("c.yaml:"), std::string::npos);
}

}  // namespace
}  // namespace tessera::cli
