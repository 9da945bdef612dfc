// Probes of what sizes do that are known only when the model runs.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_SIZE_PROBES_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_SIZE_PROBES_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/circle/file/model.h"
#include "targets/circle/runtimes/probe_case.h"

namespace tessera::circle {

// The same behind reshapes by shapes that are given when the model runs: the runtime learns the
// operands' sizes when it comes to the operator, and not from those of the inputs. Nullopt: there
// is no operand of unknown size, or a result of a type that is not seen behind it.
absl::StatusOr<std::optional<ProbeFile>> BehindComputedShapes(const ProbeFile& file);

// The same with none of the entries along the axes of one unknown size, for each there is; they are
// cut away inside the model; with a single one of them, which may leave nothing; with each of the
// numbers from input `first_given` on, by which the operator goes, as 0. Not all of them are
// allowed, or leave nothing.
std::vector<ProbeFile> WithoutEntries(const ProbeFile& file, size_t first_given);

// An operator behind each result, the model's outputs, that makes floats of it: of a result that
// nothing reads, runtimes need not know the size, and onert hands out floats only where it did not.
// False: of a type for which there is none.
bool HandOutFloats(FileGraph& graph, const std::vector<int32_t>& results);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_SIZE_PROBES_H_
