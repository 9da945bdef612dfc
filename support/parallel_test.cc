#include "support/parallel.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tessera::support {
namespace {

TEST(Parallel, CallsEachOnce) {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{2}, size_t{1000}}) {
    std::vector<std::atomic<int>> calls(count);
    ASSERT_TRUE(ForEachInParallel(count, [&](size_t i) {
                  ++calls[i];
                  return absl::OkStatus();
                }).ok());
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(calls[i], 1) << i;
  }
}

// Whichever of them ends first.
TEST(Parallel, TellsTheErrorOfTheLeastNumber) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    const absl::Status status = ForEachInParallel(8, [&](size_t i) {
      if (i == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return i % 2 == 0 ? absl::InternalError(absl::StrCat(i)) : absl::OkStatus();
    });
    EXPECT_EQ(status.message(), "0");
  }
}

TEST(Parallel, UsesTheCores) {
  const size_t cores = std::thread::hardware_concurrency() < 2 ? 1 : 2;
  std::atomic<size_t> there{0};
  // Who wait for each other end only side by side.
  ASSERT_TRUE(ForEachInParallel(cores, [&](size_t) {
                ++there;
                while (there < cores) std::this_thread::yield();
                return absl::OkStatus();
              }).ok());
}

}  // namespace
}  // namespace tessera::support
