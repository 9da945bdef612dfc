#include "support/parallel.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace tessera::support {
namespace {

// What they compute with must fit into memory side by side.
constexpr size_t kMostThreads = 16;

// Whether this thread is one of several already: what it calls does not begin more.
thread_local bool is_among_others = false;

size_t Cores() {
  static const size_t cores =
      std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  return cores;
}

}  // namespace

absl::Status ForEachInParallel(size_t count, absl::FunctionRef<absl::Status(size_t)> body) {
  const size_t threads = is_among_others ? 1 : std::min(count, Cores());
  if (threads <= 1) {
    for (size_t i = 0; i < count; ++i) {
      if (absl::Status status = body(i); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  std::vector<absl::Status> statuses(count);
  std::atomic<size_t> next{0};
  const auto work = [&] {
    is_among_others = true;
    for (size_t i = next++; i < count; i = next++) {
      statuses[i] = body(i);
      // Whoever has begun ends; nobody begins anew.
      if (!statuses[i].ok()) next = count;
    }
    is_among_others = false;
  };
  std::vector<std::thread> others;
  for (size_t t = 1; t < threads; ++t) {
    try {
      others.emplace_back(work);
    } catch (const std::system_error&) {
      break;  // fewer do as well
    }
  }
  work();
  for (std::thread& other : others) other.join();
  for (absl::Status& status : statuses) {
    if (!status.ok()) return std::move(status);
  }
  return absl::OkStatus();
}

}  // namespace tessera::support
