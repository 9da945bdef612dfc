// Lines through bands: points, each with the interval that a line must pass there.
#ifndef TESSERA_TARGETS_NPU_PWL_BAND_H_
#define TESSERA_TARGETS_NPU_PWL_BAND_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"

namespace tessera::npu {

// An infinite end asks nothing.
struct BandPoint {
  double x = 0, low = 0, high = 0;  // points by rising x
};

struct BandLine {
  double slope = 0, offset = 0;  // offset + slope * (x - x of the first point)
  // How far the line stays outside the intervals at worst; below 0: how far inside.
  double excess = 0;
};

// The line of least excess: ends of intervals that matter are the corners of two convex hulls,
// between which the excess is a convex function of the slope.
BandLine BestLine(absl::Span<const BandPoint> points);

// Fewest lines, one behind the other, that pass all intervals: how many points each takes. What a
// line passes it also passes in part, so taking as many points as possible each time is optimal.
// With `flat_first` the first of them is constant.
std::vector<size_t> FewestLines(absl::Span<const BandPoint> points, bool flat_first);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PWL_BAND_H_
