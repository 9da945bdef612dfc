// Tables of functions that are made of lines.
#ifndef TESSERA_TARGETS_NPU_PWL_EXACT_H_
#define TESSERA_TARGETS_NPU_PWL_EXACT_H_

#include <vector>

#include "absl/types/span.h"
#include "targets/npu/pwl/samples.h"
#include "targets/npu/pwl/segment.h"

namespace tessera::npu {

// One segment per line, with bases where neighbours meet, and moved by less than one unit of the
// output so that results are rounded to nearest: where a line is halfway between two outputs, its
// shifted product begins at 0. Empty where the function is not made of at most 16 lines of slopes
// that the device has.
std::vector<TableSegment> ExactTable(absl::Span<const Sample> samples,
                                     const ScaledFunction& function);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PWL_EXACT_H_
