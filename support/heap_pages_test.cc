#include "support/heap_pages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace tessera::support {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Of the region at `address`, as proc(5) has it: `hg` is what madvise(2) was asked for. Empty: no
// such region.
std::string FlagsAt(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<unsigned long>(address);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char dash = 0;
    if (std::sscanf(line.c_str(), "%lx%c%lx ", &begin, &dash, &end) == 3 && dash == '-')
      inside = begin <= wanted && wanted < end;
    if (inside && line.rfind("VmFlags:", 0) == 0) return line + " ";
  }
  return "";
}

bool SystemHasThem() { return std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").good(); }

// In a process of its own each: it is not taken back.
TEST(HeapPagesDeathTest, SmallBlocksLieOnLargePages) {
  EXPECT_EXIT(
      {
        UseLargePages(64 << 20);
        // Behind what was there before, a block that brought the pages, and the first of them,
        // which is not whole: wherever the heap begins these are less than 8 MB.
        void* block = nullptr;
        for (int i = 0; i < 16384; ++i) block = std::malloc(1000);
        const std::string flags = FlagsAt(block);
        std::exit(
            !flags.empty() && (flags.find(" hg ") != std::string::npos) == SystemHasThem() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(HeapPagesDeathTest, LargeBlocksAreMappedAlone) {
  EXPECT_EXIT(
      {
        UseLargePages(64 << 20);
        void* const block = std::malloc(8 << 20);
        const std::string flags = FlagsAt(block);
        std::exit(!flags.empty() && flags.find(" hg ") == std::string::npos ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(HeapPagesDeathTest, TooFewForAPageChangeNothing) {
  EXPECT_EXIT(
      {
        UseLargePages(1 << 20);
        std::exit(FlagsAt(std::malloc(1000)).find(" hg ") == std::string::npos ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace tessera::support
