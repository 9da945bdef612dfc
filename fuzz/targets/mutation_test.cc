#include "fuzz/targets/mutation.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace tessera::fuzz {
namespace {

TEST(Mutation, IsTheSameForTheSameSeed) {
  const std::string text = "version: \"1.0\"\npasses:\n  fold: off\n";
  for (uint64_t seed = 0; seed < 50; ++seed) {
    testing::Random one(seed), two(seed);
    EXPECT_EQ(WithOtherTokens(text, {"on"}, one), WithOtherTokens(text, {"on"}, two));
    EXPECT_EQ(WithOtherBytes(text, one), WithOtherBytes(text, two));
  }
}

TEST(Mutation, ReachesManyTextsAndUsesTheWords) {
  testing::Random random(1);
  std::set<std::string> texts;
  int words = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string text = WithOtherTokens("a = \"b c\" + 17;\nd\n", {"wordy"}, random);
    texts.insert(text);
    words += text.find("wordy") != std::string::npos;
  }
  EXPECT_GT(texts.size(), 500u);
  EXPECT_GT(words, 50);
}

TEST(Mutation, TakesEmptyInputs) {
  testing::Random random(1);
  for (int i = 0; i < 200; ++i) {
    WithOtherBytes("", random);
    EXPECT_EQ(WithOtherTokens("", {"word"}, random), "word");
  }
}

TEST(Dictionary, HasItsEscapes) {
  EXPECT_EQ(ParseDictionary("# \"no\"\n\"a b\"\nname=\"\\x93\\\"\\\\\"\n\n\"line\\x0a\"\n"),
            (std::vector<std::string>{"a b", "\x93\"\\", "line\n"}));
}

}  // namespace
}  // namespace tessera::fuzz
