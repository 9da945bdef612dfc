#include "support/mapped_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "support/file.h"
#include "support/mapped_pages.h"

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

TEST(MappedFile, TellsThatAFileWasWrittenTo) {
  const std::string path = ::testing::TempDir() + "/mapped_changed";
  const auto checked = [&](auto change) {
    EXPECT_TRUE(WriteFile(path, "before").ok());
    // As old as no test is: the clock of a file system may tick slowly.
    const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    std::filesystem::last_write_time(path, old);
    const absl::StatusOr<MappedFile> mapped = MapFile(path);
    EXPECT_TRUE(CheckUnchanged({mapped->stamp, nullptr}).ok());
    change();
    return CheckUnchanged({nullptr, mapped->stamp});
  };
  const auto overwrite = [&](const char* text) { std::ofstream(path) << text; };
  EXPECT_EQ(checked([&] { overwrite("be"); }).message(),
            "`" + path + "` was changed while it was read: it had 6 bytes, and has 2");
  EXPECT_EQ(checked([&] { overwrite("beyond"); }).message(),
            "`" + path + "` was changed while it was read");
  EXPECT_TRUE(checked([&] { EXPECT_TRUE(WriteFile(path, "another").ok()); }).ok());
  EXPECT_TRUE(checked([&] { std::filesystem::remove(path); }).ok());
}

int64_t ResidentPages(const MappedFile& file) {
  std::ifstream smaps("/proc/self/smaps");
  int64_t kilobytes = -1;
  const std::string start = absl::StrCat(absl::Hex(reinterpret_cast<uintptr_t>(file.bytes.data())));
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    if (line.rfind(start + "-", 0) == 0) inside = true;
    if (inside && line.rfind("Rss:", 0) == 0) {
      kilobytes = std::stoll(line.substr(4));
      break;
    }
  }
  return kilobytes / 4;
}

TEST(MappedFile, ForgottenPagesAreReadAnew) {
  const std::string path = ::testing::TempDir() + "/mapped_forgotten";
  const std::string bytes = std::string(50 * 4096, 'x') + std::string(50 * 4096, 'y');
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  const absl::StatusOr<MappedFile> mapped = MapFile(path);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_EQ(Text(*mapped), bytes);
  EXPECT_EQ(ResidentPages(*mapped), 100);
  const auto* const start = reinterpret_cast<const char*>(mapped->bytes.data());
  ForgetPages({start + 1, 60 * 4096});  // all that lie wholly in it
  EXPECT_LE(ResidentPages(*mapped), 41);
  EXPECT_EQ(Text(*mapped), bytes);
  // Of what no file has nothing is lost.
  const std::string own(100 * 4096, 'z');
  ForgetPages(own);
  EXPECT_EQ(own, std::string(100 * 4096, 'z'));
}

void Replace(int, siginfo_t* info, void*) {
  if (!ReplaceLostPages(info->si_addr)) _exit(1);
}

TEST(MappedFile, LostPagesReadAsZeros) {
  const std::string path = ::testing::TempDir() + "/mapped_truncated";
  ASSERT_TRUE(WriteFile(path, std::string(3 * 4096, 'x')).ok());
  const absl::StatusOr<MappedFile> mapped = MapFile(path);
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  struct sigaction action = {}, before = {};
  action.sa_sigaction = Replace;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGBUS, &action, &before), 0);
  std::filesystem::resize_file(path, 10);
  EXPECT_EQ(Text(*mapped).substr(4096), std::string(2 * 4096, '\0'));
  EXPECT_FALSE(CheckUnchanged({mapped->stamp}).ok());
  EXPECT_FALSE(ReplaceLostPages(&path));
  sigaction(SIGBUS, &before, nullptr);
}

}  // namespace
}  // namespace tessera::support
