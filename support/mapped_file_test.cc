#include "support/mapped_file.h"

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "support/file.h"

namespace tessera::support {
namespace {

std::string Text(const MappedFile& file) { return {file.bytes.begin(), file.bytes.end()}; }

TEST(MappedFile, TheMapOutlivesTheFile) {
  const std::string path = ::testing::TempDir() + "/mapped_file";
  ASSERT_TRUE(WriteFile(path, "before").ok());
  absl::StatusOr<MappedFile> mapped = MapFile(path);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(mapped->bytes.data()) % 4096, 0u);
  ASSERT_TRUE(WriteFile(path, "after").ok());
  EXPECT_EQ(Text(*mapped), "before");
  const MappedFile copy = *mapped;
  mapped = MappedFile{};
  std::filesystem::remove(path);
  EXPECT_EQ(Text(copy), "before");
}

TEST(MappedFile, EmptyFile) {
  const std::string path = ::testing::TempDir() + "/mapped_empty";
  ASSERT_TRUE(WriteFile(path, "").ok());
  const absl::StatusOr<MappedFile> mapped = MapFile(path);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_TRUE(mapped->bytes.empty());
}

TEST(MappedFile, ErrorsNameThePath) {
  const std::string missing = ::testing::TempDir() + "/mapped_missing";
  const absl::Status status = MapFile(missing).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.message().find(missing), absl::string_view::npos) << status;
  EXPECT_EQ(MapFile(::testing::TempDir()).status().code(), absl::StatusCode::kInvalidArgument);
  const std::string pipe = ::testing::TempDir() + "/mapped_pipe";
  std::filesystem::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(MapFile(pipe).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tessera::support
