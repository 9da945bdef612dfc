// Runs programs to their end, or ends them.
#ifndef TESSERA_SOLVER_CERTIFICATE_PROCESS_H_
#define TESSERA_SOLVER_CERTIFICATE_PROCESS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::certificate {

struct Command {
  std::vector<std::string> arguments;    // the program's path first; it is not searched for
  std::vector<std::string> environment;  // `NAME=VALUE`; nothing is inherited
  std::string input;
};

struct Limits {
  int64_t processor_seconds = 0;  // of each process, and so are the next two
  int64_t memory_bytes = 0;
  size_t output_bytes = 0;
  std::chrono::steady_clock::time_point deadline;  // of all: what runs then is ended
};

enum class End {
  kExited,     // by itself; `code` is its exit code
  kSignalled,  // `code` is the signal
  kProcessor,  // at a limit
  kOutput,
  kDeadline,
};

struct Result {
  std::string output;  // of stdout and stderr, as far as the limit goes
  End end = End::kExited;
  int code = 0;
  bool succeeded() const { return end == End::kExited && code == 0; }
};

// How a process ended, for a sentence that begins with its name: `was ended by signal 11`.
std::string EndText(const Result& result);

// Runs the commands side by side, as many at a time as there are processors. Each is a process
// group of its own, which goes when its leader does, when this process dies, and when SIGTERM,
// SIGINT, SIGHUP or SIGQUIT ends it. Input and output stay in memory. Not for two threads at once.
// Error: one does not start.
absl::StatusOr<std::vector<Result>> RunAll(absl::Span<const Command> commands,
                                           const Limits& limits);

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_PROCESS_H_
