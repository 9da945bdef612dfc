// Files that hold one operator over quantized tensors each, to try in a runtime.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_INTEGER_PROBES_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_INTEGER_PROBES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "targets/circle/runtimes/probe_case.h"

namespace tessera::circle {

// One for each example of each definition over integers, with its tensors. Error: an example that
// cannot be written.
absl::StatusOr<std::vector<ProbeFile>> MakeIntegerProbes();

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_INTEGER_PROBES_H_
