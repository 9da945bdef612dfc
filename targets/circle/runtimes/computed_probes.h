// Probes whose shapes, axes and positions are given when the model runs.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_COMPUTED_PROBES_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_COMPUTED_PROBES_H_

#include <optional>

#include "absl/status/statusor.h"
#include "targets/circle/runtimes/probe_case.h"

namespace tessera::circle {

// The same with inputs in place of the constants that the operator goes by, and results of unknown
// sizes. Nullopt: it goes by none.
absl::StatusOr<std::optional<ProbeFile>> WithComputed(const ProbeFile& file);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_COMPUTED_PROBES_H_
