#include "targets/npu/pwl/error.h"

#include <algorithm>
#include <cmath>

namespace tessera::npu {
namespace {

class Comparison {
 public:
  Comparison(absl::Span<const TableSegment> segments, const ScaledFunction& function)
      : segments_(segments), function_(function) {}

  int64_t Table(int64_t x) const {
    return std::clamp(ValueOf(segments_, x), function_.lowest, function_.highest);
  }

  // Sums from `begin` to `end`, for all of which the table yields the same.
  void Run(int64_t begin, int64_t end) {
    const double y = static_cast<double>(Table(begin));
    const double a = At(begin, y), b = At(end, y);
    if (end - begin < 2) return;
    const int64_t middle = begin + (end - begin) / 2;
    const double m = At(middle, y);
    if (m > std::max(a, b)) Extreme(begin, end, y, 1);
    if (m < std::min(a, b)) Extreme(begin, end, y, -1);
  }

  TableError worst;

 private:
  double At(int64_t x, double table) {
    const double y = std::clamp(function_(x), static_cast<double>(function_.lowest),
                                static_cast<double>(function_.highest));
    const double error = std::abs(y - table);
    if (error > worst.worst) worst = {error, x};
    return y;
  }

  void Extreme(int64_t begin, int64_t end, double table, double sign) {
    while (end - begin > 2) {
      const int64_t a = begin + (end - begin) / 3, b = end - (end - begin) / 3;
      if (sign * At(a, table) < sign * At(b, table)) {
        begin = a;
      } else {
        end = b;
      }
    }
  }

  absl::Span<const TableSegment> segments_;
  const ScaledFunction& function_;
};

// The last sum from `begin` to `end` at which the segment's line is as at `begin`.
int64_t EndOfRun(const TableSegment& segment, int64_t begin, int64_t end) {
  if (segment.slope == 0) return end;
  const int64_t product = (begin - segment.position()) * segment.slope;
  const int64_t unit = int64_t{1} << segment.shift();
  const int64_t within = product & (unit - 1);  // how far above the last step
  const int64_t room = segment.slope > 0 ? unit - 1 - within : within;
  return std::min(end, begin + room / std::abs(int64_t{segment.slope}));
}

}  // namespace

TableError ErrorOf(absl::Span<const TableSegment> segments, const ScaledFunction& function,
                   int64_t least, int64_t most) {
  Comparison comparison(segments, function);
  const int64_t first = segments[0].position();
  if (least <= first) comparison.Run(least, std::min(first, most));
  for (size_t i = 0; i < segments.size(); ++i) {
    const TableSegment& segment = segments[i];
    int64_t begin = std::max(least, segment.position() + (i == 0 ? 1 : 0));
    const int64_t end =
        i + 1 < segments.size() ? std::min(most, segments[i + 1].position() - 1) : most;
    while (begin <= end) {
      int64_t last = EndOfRun(segment, begin, end);
      // What saturates is equal from there on.
      const int64_t y = segment.At(begin);
      if ((segment.slope > 0 && y >= function.highest) ||
          (segment.slope < 0 && y <= function.lowest))
        last = end;
      comparison.Run(begin, last);
      begin = last + 1;
    }
  }
  return comparison.worst;
}

}  // namespace tessera::npu
