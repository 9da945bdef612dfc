// Probes of what casts beside an operator do to it.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_CAST_PROBES_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_CAST_PROBES_H_

#include <optional>

#include "absl/status/statusor.h"
#include "targets/circle/runtimes/probe_case.h"

namespace tessera::circle {

// The same with floats for inputs and outputs of u8, and casts between them and the operator.
// Nullopt: none of its tensors is of u8, or it is itself a cast.
absl::StatusOr<std::optional<ProbeFile>> BetweenCasts(const ProbeFile& file);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_CAST_PROBES_H_
