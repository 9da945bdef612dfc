// Runs a program to its end.
#ifndef TESSERA_SOLVER_CERTIFICATE_PROCESS_H_
#define TESSERA_SOLVER_CERTIFICATE_PROCESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::certificate {

struct Command {
  std::vector<std::string> arguments;  // the program first, looked for on PATH if it has no `/`
  std::string input;
};

struct Result {
  std::string output;  // what it wrote to stdout and stderr, at most 16 MiB
  int status = 0;      // as of waitpid
};

// Runs the commands side by side. Each has at most `seconds` of the processor and `bytes` of
// memory: a net under programs that do not keep their own limits. Error: one does not start.
absl::StatusOr<std::vector<Result>> RunAll(absl::Span<const Command> commands, int64_t seconds,
                                           int64_t bytes);

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_PROCESS_H_
