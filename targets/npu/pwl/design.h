// Tables of the device for functions of one number: as few segments as an error takes.
//
// Segments need not meet, so that a table which takes as many sums as possible into each segment,
// from left to right, has the fewest of them: whatever covers some sums within the error covers
// fewer of them too. Slopes, values and bases of the device are whole numbers, and the first
// segment has the value of everything before it; what a table with fewer segments would have to
// beat is therefore stated beside it: the fewest lines of real numbers, with half a unit more room
// for the device's rounding.
#ifndef TESSERA_TARGETS_NPU_PWL_DESIGN_H_
#define TESSERA_TARGETS_NPU_PWL_DESIGN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/npu/pwl/samples.h"
#include "targets/npu/pwl/segment.h"

namespace tessera::npu {

struct TableRequest {
  ScaledFunction function;
  // Sums for which the error must hold, and all that can occur at all. As much of the latter is
  // covered as the output's type can express, and segments there are.
  int64_t least = 0, most = 0;
  int64_t lowest = INT32_MIN, highest = INT32_MAX;
  // In parts of the function's range over [least, most]; so many units of the output come on top,
  // for rounding. Where this is nearly all, half a unit leaves segments no whole numbers to begin
  // with.
  double max_error = 0.002;
  double rounding = 0.5;
  int64_t least_segments = 2, most_segments = 128;  // of the device
};

struct Table {
  std::vector<TableSegment> segments;
  // The function is made of lines, and each segment is one of them.
  bool exact = false;
  int64_t lower_bound = 0;      // no table of that error has fewer segments
  double error = 0;             // the greatest, in parts of the range
  int64_t error_at = 0;         // the sum where that is
  int64_t least = 0, most = 0;  // the sums that this is said of
  double range = 0;             // of the function, in units of the output
};

// The least error that the least number of segments gives. Errors (InvalidArgument): more segments
// than the device has, with the error that those it has would give.
absl::StatusOr<Table> DesignTable(const TableRequest& request);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PWL_DESIGN_H_
