// Files that hold a loop or a choice, to try in a runtime.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_CONTROL_FLOW_PROBES_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_CONTROL_FLOW_PROBES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "targets/circle/runtimes/probe_case.h"

namespace tessera::circle {

// Each with known sizes, and with sizes that are known only when it runs.
absl::StatusOr<std::vector<ProbeFile>> MakeControlFlowProbes();

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_CONTROL_FLOW_PROBES_H_
