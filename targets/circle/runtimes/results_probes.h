// Files of which more is asked than of their operators, to try in a runtime.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_RESULTS_PROBES_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_RESULTS_PROBES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "targets/circle/runtimes/probe_case.h"

namespace tessera::circle {

// Integers in a shape that is given when it runs, which the file says to be unknown, and does not.
absl::StatusOr<std::vector<ProbeFile>> MakeResultsProbes();

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_RESULTS_PROBES_H_
