// The device's tables: segments as its records have them, and what they compute of one sum
// (targets/npu/ops/pwl.op says the same of tensors).
#ifndef TESSERA_TARGETS_NPU_PWL_SEGMENT_H_
#define TESSERA_TARGETS_NPU_PWL_SEGMENT_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tessera::npu {

struct TableSegment {
  int32_t base = 0;  // the two low bits say how far products are shifted
  int16_t value = 0, slope = 0;

  int64_t position() const { return base & ~3; }
  int shift() const { return 8 * ((base & 3) + 1); }
  // Its line at `x`, before anything saturates.
  int64_t At(int64_t x) const { return (((x - position()) * slope) >> shift()) + value; }
};

// Of at least one segment, in order of their positions; before it saturates to the output's type.
int64_t ValueOf(absl::Span<const TableSegment> segments, int64_t x);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PWL_SEGMENT_H_
