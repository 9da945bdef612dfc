// How far a table is from the function that it stands for.
#ifndef TESSERA_TARGETS_NPU_PWL_ERROR_H_
#define TESSERA_TARGETS_NPU_PWL_ERROR_H_

#include "absl/types/span.h"
#include "targets/npu/pwl/samples.h"
#include "targets/npu/pwl/segment.h"

namespace tessera::npu {

struct TableError {
  double worst = 0;  // in units of the output
  int64_t at = 0;    // the sum where that is
};

// Over every sum from `least` to `most`, by the arithmetic of the device. A table's results change
// at few of the sums, about as often as there are outputs: it is compared with the function at the
// first and the last sum of each run of equal results, and where the function is not monotonic
// within a run (by its value halfway) at the extreme that a search finds there.
TableError ErrorOf(absl::Span<const TableSegment> segments, const ScaledFunction& function,
                   int64_t least, int64_t most);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PWL_ERROR_H_
