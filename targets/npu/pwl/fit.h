// One segment of a table: whole numbers near a line.
#ifndef TESSERA_TARGETS_NPU_PWL_FIT_H_
#define TESSERA_TARGETS_NPU_PWL_FIT_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "targets/npu/pwl/samples.h"
#include "targets/npu/pwl/segment.h"

namespace tessera::npu {

// A slope as the device has it: 16 bits and one of four shifts, as fine as possible.
struct SlopeCode {
  int16_t slope = 0;
  int scale = 0;  // the shift is by 8 * (scale + 1) bits

  double value() const;
};
// Nearest; empty where it is too steep.
std::optional<SlopeCode> CodeOf(double slope);

// From the first of the samples on within `error` of all of them, by the device's arithmetic;
// empty where none is found.
std::optional<TableSegment> FitSegment(absl::Span<const Sample> samples, double error);

// The first segment of a table, with one value up to its position: of how many samples, and what.
struct FirstSegment {
  TableSegment segment;
  size_t samples = 0;
};
FirstSegment FitFirst(absl::Span<const Sample> samples, double error);

// Whole tables, each segment as long as possible; empty where more than `most` are needed, or what
// lies between two samples would be off: neighbours that no line joins are no more than the
// device's step for bases apart.
std::vector<TableSegment> FitTable(absl::Span<const Sample> samples, double error, size_t most);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PWL_FIT_H_
