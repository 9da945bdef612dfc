#include "tools/cli/assignment.h"

#include <limits>

#include "gtest/gtest.h"

namespace tessera::cli {
namespace {

using Shape = std::vector<int64_t>;

TEST(SplitAssignment, AtTheFirstEqualsSign) {
  EXPECT_EQ(SplitAssignment("x=a=b"), std::pair(std::string("x"), std::string("a=b")));
  EXPECT_EQ(SplitAssignment("x="), std::pair(std::string("x"), std::string()));
  EXPECT_EQ(SplitAssignment("=x"), std::nullopt);
  EXPECT_EQ(SplitAssignment("x"), std::nullopt);
}

TEST(ParseRandomSource, TakesBothForms) {
  const absl::StatusOr<RandomSource> plain = ParseRandomSource("random:18446744073709551615");
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->seed, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(plain->shape, std::nullopt);
  EXPECT_EQ(ParseRandomSource("random:1:2x3")->shape, Shape({2, 3}));
  EXPECT_EQ(ParseRandomSource("random:1:0")->shape, Shape({0}));
  EXPECT_EQ(ParseRandomSource("random:1:")->shape, Shape());
}

TEST(ParseRandomSource, NamesWhatIsWrong) {
  for (const char* text :
       {"random:", "random:x", "random:-1", "random:1:2x", "random:1:-2", "random:1:2:3",
        "random:1:2,3", "random", "random:18446744073709551616"}) {
    const absl::StatusOr<RandomSource> source = ParseRandomSource(text);
    ASSERT_FALSE(source.ok()) << text;
    EXPECT_NE(source.status().message().find("the forms are"), absl::string_view::npos);
  }
}

}  // namespace
}  // namespace tessera::cli
