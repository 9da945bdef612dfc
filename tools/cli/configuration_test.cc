#include "tools/cli/configuration.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace tessera::cli {
namespace {

ConfigurationKeys Known() {
  ConfigurationKeys keys;
  keys.passes = {
      {"fold",
       "computes constants",
       passes::Phase::kCanonicalize,
       passes::Numerics::kExact,
       {},
       nullptr},
      {"canonicalize", "", passes::Phase::kCanonicalize, passes::Numerics::kLastBits, {}, nullptr}};
  keys.toggles = {{"masks_end", "masks end somewhere", false, {"A.mask", "B.mask"}, {}, ""},
                  {"products", "products by constants", true, {}, {"C.product"}, ""},
                  {"round_trips", "there and back", true, {}, {}, "that is always so"}};
  return keys;
}

std::string MessageOf(const std::string& text) {
  passes::RunOptions options;
  return std::string(ParseConfiguration("c.yaml", text, Known(), options).status().message());
}

TEST(Configuration, SwitchesPassesOff) {
  passes::RunOptions options;
  const auto configured = ParseConfiguration(
      "c.yaml", "version: \"1.0\"\npasses:\n  fold: off\n  canonicalize: on\n", Known(), options);
  ASSERT_TRUE(configured.ok()) << configured.status();
  EXPECT_EQ(options.disabled, std::set<std::string>{"fold"});
}

TEST(Configuration, TakesKeysOfTheTarget) {
  passes::RunOptions options;
  const auto configured = ParseConfiguration(
      "c.json", R"({"version": "1.0", "masks_end": true, "products": false, "round_trips": false})",
      Known(), options);
  ASSERT_TRUE(configured.ok()) << configured.status();
  EXPECT_EQ(options.requested,
            (std::set<std::string, std::less<>>{"A.mask", "B.mask", "C.product"}));
  EXPECT_EQ(configured->notes, std::vector<std::string>{"`round_trips: off`: that is always so"});
  EXPECT_EQ(configured->toggles.size(), 3u);
  EXPECT_EQ(MessageOf("version: \"1.0\"\nmask_end: on\n"),
            "c.yaml:2:1: unknown key `mask_end`; did you mean `masks_end`?");
  EXPECT_EQ(MessageOf("version: \"1.0\"\nmasks_end: 3\n"),
            "c.yaml:2:12: `masks_end` is `on` or `off`");
}

TEST(Configuration, OthersHaveNoPasses) {
  ConfigurationKeys keys = Known();
  keys.toggles_only = true;
  passes::RunOptions options;
  const auto configured =
      ParseConfiguration("t.yaml", "version: \"1.0\"\npasses: {}\n", keys, options);
  EXPECT_EQ(configured.status().message(),
            "t.yaml:2:1: unknown key `passes`: TICO has none such; `--config` takes it");
}

TEST(Configuration, IsPrintedInFull) {
  passes::RunOptions options;
  const auto configured = ParseConfiguration(
      "c.yaml", "version: \"1.0\"\nmasks_end: on\npasses: {fold: off}\n", Known(), options);
  ASSERT_TRUE(configured.ok()) << configured.status();
  const std::string text = ConfigurationText(Known(), *configured, options);
  EXPECT_NE(
      text.find("masks_end: on  # masks end somewhere\nproducts: on  # products by constants"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  fold: off  # computes constants\n"), std::string::npos) << text;
  // What is printed says the same.
  passes::RunOptions again;
  const auto read = ParseConfiguration("c.yaml", text, Known(), again);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(again.disabled, options.disabled);
  EXPECT_EQ(again.requested, options.requested);
  EXPECT_EQ(read->toggles.at("masks_end"), true);
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
  // What made yaml-cpp read documents until there was no memory.
  EXPECT_EQ(MessageOf(","), "c.yaml:1:1: no value begins like this");
  EXPECT_EQ(MessageOf("\n ,x: 1\n"), "c.yaml:2:2: no value begins like this");
  EXPECT_EQ(MessageOf("version: \"1.0\"\n? [a]\n: b\n"), "c.yaml:2:3: a key must be a name");
  EXPECT_EQ(MessageOf("version: \"1.0\"\n\"a\\e[31m\\nb\": 1\n"),
            "c.yaml:2:1: unknown key `a\\x1b[31m\\nb`");
  EXPECT_NE(MessageOf("").find("a mapping with `version` is needed"), std::string::npos);
  EXPECT_NE(MessageOf("version: [\n").find("c.yaml:"), std::string::npos);
}

}  // namespace
}  // namespace tessera::cli
