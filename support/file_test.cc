#include "support/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

TEST(File, PiecesAreJoinedInOrder) {
  const std::string folder = Folder("pieces"), path = folder + "/file";
  // More pieces than one system call takes, one of them larger than a pipe or page, some empty.
  std::vector<std::string> texts;
  std::string whole;
  for (int i = 0; i < 3000; ++i) {
    texts.push_back(i == 1500 ? std::string(3 << 20, 'x') : std::string(i % 5, 'a' + i % 26));
    whole += texts.back();
  }
  const std::vector<ByteRun> runs(texts.begin(), texts.end());
  ASSERT_TRUE(WriteFileFromRuns(path, runs).ok());
  const absl::StatusOr<std::string> read = ReadFile(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(*read == whole);
  ASSERT_TRUE(WriteFileFromRuns(path, {}).ok());
  EXPECT_EQ(ReadFile(path).value_or("unread"), "");
}

TEST(File, APipeIsWrittenToAndNotReplaced) {
  const std::string path = Folder("pipe") + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(WriteFile(path, "text").ok());
  char bytes[8];
  EXPECT_EQ(read(reader, bytes, sizeof bytes), 4);
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST(File, TheFileBehindALinkIsReplaced) {
  const std::string folder = Folder("links");
  ASSERT_TRUE(WriteFile(folder + "/file", "before").ok());
  std::filesystem::create_symlink("file", folder + "/link");
  ASSERT_TRUE(WriteFile(folder + "/link", "after").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link"));
  EXPECT_EQ(ReadFile(folder + "/file").value_or("unread"), "after");
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
