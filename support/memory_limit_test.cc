#include "support/memory_limit.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace tessera::support {
namespace {

constexpr int64_t kMiB = 1 << 20;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// In a process of its own each: a limit is never taken back.
TEST(MemoryLimitDeathTest, NewEndsTheProcess) {
  EXPECT_EXIT(
      {
        LimitMemory("compile", {512 * kMiB, 0}, 7);
        const std::string node = "conv\n1";
        const Doing pass("pass", "canonicalize");
        const Doing op("operation", node);
        std::vector<char> bytes(size_t{1} << 30);
        std::exit(bytes[5]);
      },
      testing::ExitedWithCode(7),
      "compile: out of memory: --max-memory is 512 MiB; in pass `canonicalize`, operation "
      "`conv\\?1`");
}

TEST(MemoryLimitDeathTest, WhoCanSaySoGoesOn) {
  EXPECT_EXIT(
      {
        LimitMemory("compile", {512 * kMiB, 0}, 7);
        void* const none = std::malloc(size_t{1} << 30);
        void* const some = std::malloc(size_t{1} << 20);
        std::exit(none == nullptr && some != nullptr ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(MemoryLimitDeathTest, MappedFilesRaiseIt) {
  EXPECT_EXIT(
      {
        LimitMemory("compile", {512 * kMiB, 4}, 7);
        RaiseMemoryLimit(512 * kMiB);
        void* const some = std::malloc(size_t{1} << 30);
        void* const none = std::malloc(size_t{1} << 32);
        std::exit(none == nullptr && some != nullptr ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

#endif

TEST(MemoryLimitTest, WithoutALimitThereIsNothingToTell) {
  EXPECT_EQ(MemoryLimitText(), "");
  RaiseMemoryLimit(kMiB);
  EXPECT_EQ(MemoryLimitText(), "");
}

}  // namespace
}  // namespace tessera::support
