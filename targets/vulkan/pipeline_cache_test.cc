#include "targets/vulkan/pipeline_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "support/temporary_folder.h"

namespace tessera::vulkan {
namespace {

const std::vector<uint8_t> kArtifact = {1, 2, 3}, kOther = {1, 2, 4};

TEST(PipelineCacheTest, GivesBackWhatWasKeptForTheSame) {
  const support::TemporaryFolder folder;
  const std::string below = folder.path() + "/a/b";
  PipelineCache cache(below, "device", "driver 1", kArtifact);
  EXPECT_EQ(cache.Read(), "");
  const std::string data("code\0\n\xff", 7);
  cache.Write(data);
  EXPECT_EQ(PipelineCache(below, "device", "driver 1", kArtifact).Read(), data);
  EXPECT_EQ(PipelineCache(below, "device", "driver 2", kArtifact).Read(), "");
  EXPECT_EQ(PipelineCache(below, "other", "driver 1", kArtifact).Read(), "");
  EXPECT_EQ(PipelineCache(below, "device", "driver 1", kOther).Read(), "");
  cache.Write("more");
  EXPECT_EQ(PipelineCache(below, "device", "driver 1", kArtifact).Read(), "more");
}

TEST(PipelineCacheTest, WhatIsDamagedIsNotThere) {
  const support::TemporaryFolder folder;
  PipelineCache cache(folder.path(), "device", "driver", kArtifact);
  cache.Write("some code of a driver");
  const std::string whole = *support::ReadFile(cache.path());
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string text = whole;
    text[i] = static_cast<char>(text[i] ^ 1);
    ASSERT_TRUE(support::WriteFile(cache.path(), text).ok());
    EXPECT_EQ(PipelineCache(folder.path(), "device", "driver", kArtifact).Read(), "") << i;
    ASSERT_TRUE(support::WriteFile(cache.path(), whole.substr(0, i)).ok());
    EXPECT_EQ(PipelineCache(folder.path(), "device", "driver", kArtifact).Read(), "") << i;
  }
  // One that is for something else under this name.
  PipelineCache other(folder.path(), "device", "driver", kOther);
  other.Write("other code");
  ASSERT_TRUE(support::WriteFile(cache.path(), *support::ReadFile(other.path())).ok());
  EXPECT_EQ(cache.Read(), "");
}

TEST(PipelineCacheTest, WhatCannotBeKeptIsNotKept) {
  const support::TemporaryFolder folder;
  PipelineCache none;
  none.Write("code");
  EXPECT_EQ(none.Read(), "");
  ASSERT_TRUE(support::WriteFile(folder.path() + "/file", "").ok());
  PipelineCache nowhere(folder.path() + "/file", "device", "driver", kArtifact);
  nowhere.Write("code");
  EXPECT_EQ(nowhere.Read(), "");
}

TEST(PipelineCacheTest, HoldsSoManyFiles) {
  const support::TemporaryFolder folder;
  ASSERT_TRUE(support::WriteFile(folder.path() + "/notes", "not ours").ok());
  for (size_t i = 0; i < PipelineCache::kMostFiles + 5; ++i)
    PipelineCache(folder.path(), absl::StrCat("device ", i), "driver", kArtifact).Write("code");
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    files += entry.path().extension() == ".pipelines" ? 1 : 0;
  EXPECT_EQ(files, PipelineCache::kMostFiles);
  EXPECT_TRUE(support::ReadFile(folder.path() + "/notes").ok());
}

}  // namespace
}  // namespace tessera::vulkan
