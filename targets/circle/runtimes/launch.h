// Runs Circle files in runtimes of others that the machine has: in processes of their own, which a
// crash of theirs, or what they write over memory, does not reach. They come as Python packages.
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

// One result for each of `launches`; errors of theirs are what the runtime said (InvalidArgument).
// `packages` is the folder that holds the runtime's Python package; empty: where `python3` finds
// it. `seconds`: the most processor time that each may take; 0: no limit. Error: `runtime` is none
// (InvalidArgument), or is not installed, with how to install it (FailedPrecondition).
absl::StatusOr<std::vector<LaunchOutputs>> RunIn(std::string_view runtime,
                                                 const std::string& packages,
                                                 absl::Span<const Launch> launches,
                                                 int seconds = 0);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_LAUNCH_H_
