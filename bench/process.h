// Programs as processes, measured.
#ifndef TESSERA_BENCH_PROCESS_H_
#define TESSERA_BENCH_PROCESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tessera::bench {

struct ProcessUsage {
  double seconds = 0;      // from before its start until its end was seen
  int64_t peak_bytes = 0;  // of resident memory, pages of mapped files included
};

// Runs `command`, whose first word is a path, to its end. It must end with exit code 0.
//
// Between the caller and the program stands a fresh process of the caller's own program, because
// Linux counts the memory of the process that starts a program towards the peak of the program. So
// main() begins with `RunLauncher`.
absl::StatusOr<ProcessUsage> Measure(const std::vector<std::string>& command);

// In such a process: does its work and returns the exit code. Null in any other.
std::optional<int> RunLauncher(int argc, char** argv);

}  // namespace tessera::bench

#endif  // TESSERA_BENCH_PROCESS_H_
