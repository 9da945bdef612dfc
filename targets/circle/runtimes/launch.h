// Runs Circle files in runtimes of others that the machine has: in other processes, so that a crash
// of theirs, or what they write over memory, does not reach this one. They come as Python packages.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_LAUNCH_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_LAUNCH_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/tensor.h"

namespace tessera::circle {

struct Launch {
  std::string circle;              // the file's bytes
  std::vector<ir::Tensor> inputs;  // in the model's order; dynamic dims take their sizes
};
using LaunchOutputs = absl::StatusOr<std::vector<ir::Tensor>>;

// Whether what a file does to its process can reach the others.
enum class Processes {
  kOneEach,
  kShared,  // a fraction of the time for small files; each that ends its process ended its own
};

// One result for each of `launches`; errors of theirs are what the runtime said (InvalidArgument).
// `packages` is the folder that holds the runtime's Python package; empty: where `python3` finds
// it. `seconds`: the most processor time that each may take; 0: no limit. Error: `runtime` is none
// (InvalidArgument), or is not installed, with how to install it (FailedPrecondition).
absl::StatusOr<std::vector<LaunchOutputs>> RunIn(std::string_view runtime,
                                                 const std::string& packages,
                                                 absl::Span<const Launch> launches, int seconds = 0,
                                                 Processes processes = Processes::kOneEach);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_LAUNCH_H_
