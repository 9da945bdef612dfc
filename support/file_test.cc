#include "support/file.h"

#include <filesystem>
#include <string>

#include "gtest/gtest.h"

namespace tessera::support {
namespace {

std::string Folder(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(MakeFolder(folder + "/a/b").ok());
  return folder + "/a/b";
}

size_t Entries(const std::string& folder) {
  return std::distance(std::filesystem::directory_iterator(folder),
                       std::filesystem::directory_iterator());
}

TEST(File, RoundTripReplacesAndLeavesNothingElse) {
  const std::string folder = Folder("round_trip"), path = folder + "/file";
  const std::string bytes("a\0b\xff", 4);
  ASSERT_TRUE(WriteFile(path, "previous, and longer").ok());
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  const absl::StatusOr<std::string> read = ReadFile(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, bytes);
  EXPECT_EQ(Entries(folder), 1u);
}

TEST(File, AFailureLeavesNoTemporaryFile) {
  const std::string folder = Folder("failure");
  std::filesystem::create_directory(folder + "/taken");
  EXPECT_FALSE(WriteFile(folder + "/taken", "x").ok());
  EXPECT_EQ(Entries(folder), 1u);
  const absl::Status missing = WriteFile(folder + "/missing/file", "x");
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(missing.message().find("/missing/file"), absl::string_view::npos) << missing;
}

TEST(File, ReadsOnlyRegularFiles) {
  const std::string folder = Folder("regular");
  EXPECT_EQ(ReadFile(folder + "/none").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadFile(folder).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadFile("/dev/zero").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(File, AFolderUnderAFileIsAnError) {
  const std::string folder = Folder("under");
  ASSERT_TRUE(WriteFile(folder + "/file", "x").ok());
  EXPECT_FALSE(MakeFolder(folder + "/file").ok());
  EXPECT_FALSE(MakeFolder(folder + "/file/sub").ok());
}

}  // namespace
}  // namespace tessera::support
