#include "targets/all/all.h"

#include <cstdlib>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "support/file.h"

namespace tessera::targets {
namespace {

TEST(Targets, HaveNamesOfTheirOwn) {
  ASSERT_FALSE(All().empty());
  std::set<std::string_view> names;
  for (const Target* target : All()) {
    EXPECT_TRUE(names.insert(target->name()).second) << target->name();
    EXPECT_EQ(Find(target->name()), target);
    EXPECT_FALSE(target->title().empty());
  }
  EXPECT_EQ(Find("none"), nullptr);
  EXPECT_EQ(Names().size(), names.size());
}

// The rule that compiles models as targets names its files as the tools do.
TEST(Targets, HaveTheSuffixesOfTheBuildRules) {
  std::string suffixes;
  for (const Target* target : All())
    suffixes += (suffixes.empty() ? "" : " ") + std::string(target->suffix());
  const char* rules = std::getenv("SUFFIXES");
  ASSERT_NE(rules, nullptr);
  EXPECT_EQ(suffixes, rules);
}

// A flag of one target is none of another's, unless both mean it alike.
TEST(Targets, FlagsAreToldApart) {
  for (const Target* target : All()) {
    std::set<std::string> own;
    for (const Flag& flag : target->flags()) EXPECT_TRUE(own.insert(flag.name).second) << flag.name;
    for (const Target* other : All()) {
      for (const Flag& flag : other->flags()) {
        for (const Flag& mine : target->flags()) {
          if (mine.name != flag.name) continue;
          EXPECT_EQ(mine.placeholder, flag.placeholder) << flag.name;
          EXPECT_EQ(mine.doc, flag.doc) << flag.name;
        }
      }
    }
  }
}

TEST(Targets, UnknownFilesAreRefused) {
  const std::string path = ::testing::TempDir() + "/nothing.bin";
  ASSERT_TRUE(support::WriteFile(path, "these are no bytes of an artifact").ok());
  const absl::StatusOr<OpenedArtifact> opened = OpenFile(path);
  ASSERT_FALSE(opened.ok());
  const std::string text(opened.status().message());
  EXPECT_NE(text.find(path), std::string::npos) << text;
  for (const std::string& name : Names()) EXPECT_NE(text.find(name), std::string::npos) << text;
}

// Each says of bytes that end early, or are empty, what is wrong with them.
TEST(Targets, TruncatedFilesAreRefused) {
  for (const Target* target : All()) {
    for (const char* bytes : {"", "x", "12345678"}) {
      const std::string path = ::testing::TempDir() + "/short." + std::string(target->suffix());
      ASSERT_TRUE(support::WriteFile(path, bytes).ok());
      EXPECT_FALSE(OpenFile(path).ok()) << target->name();
    }
  }
}

}  // namespace
}  // namespace tessera::targets
