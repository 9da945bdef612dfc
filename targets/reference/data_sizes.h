// Graphs with sizes that data decide (ir/data_size.h).
#ifndef TESSERA_TARGETS_REFERENCE_DATA_SIZES_H_
#define TESSERA_TARGETS_REFERENCE_DATA_SIZES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/loops.h"

namespace tessera::reference {

// The steps outside of loops, each behind what says how large the sizes are that it speaks of: no
// value that it reads need depend on that. Error (Unimplemented): a size that differs from one
// position of a loop to the next.
absl::StatusOr<std::vector<const ir::Operation*>> BehindSizes(const ir::LoopNest& nest);

}  // namespace tessera::reference

#endif  // TESSERA_TARGETS_REFERENCE_DATA_SIZES_H_
