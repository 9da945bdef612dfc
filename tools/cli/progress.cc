#include "tools/cli/progress.h"

#include <iostream>

#include "absl/strings/str_format.h"

namespace tessera::cli {

void Progress::Start(const std::string& phase) {
  Stop();
  phase_ = phase;
  start_ = std::chrono::steady_clock::now();
  if (!quiet_) std::cerr << phase << " ..." << std::flush;
}

void Progress::Stop() {
  if (phase_.empty()) return;
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start_;
  if (!quiet_) std::cerr << absl::StrFormat(" %.1f ms\n", ms.count());
  times_.emplace_back(phase_, ms.count());
  phase_.clear();
}

}  // namespace tessera::cli
