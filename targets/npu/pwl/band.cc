#include "targets/npu/pwl/band.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "targets/npu/pwl/longest.h"

namespace tessera::npu {
namespace {

struct Corner {
  double x, y;
};

// Corners of the upper (sign 1) or lower (sign -1) hull of one end of the intervals.
std::vector<Corner> HullOf(absl::Span<const BandPoint> points, bool of_low) {
  const double sign = of_low ? 1 : -1;
  std::vector<Corner> hull;
  for (const BandPoint& point : points) {
    const Corner c = {point.x - points[0].x, of_low ? point.low : point.high};
    if (!std::isfinite(c.y)) continue;
    while (hull.size() >= 2) {
      const Corner &a = hull[hull.size() - 2], &b = hull.back();
      const double cross = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
      if (sign * cross < 0) break;
      hull.pop_back();
    }
    hull.push_back(c);
  }
  return hull;
}

// The greatest low - slope * x and the least high - slope * x.
struct Ends {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

Ends EndsAt(double slope, const std::vector<Corner>& lows, const std::vector<Corner>& highs) {
  Ends ends;
  for (const Corner& c : lows) ends.low = std::max(ends.low, c.y - slope * c.x);
  for (const Corner& c : highs) ends.high = std::min(ends.high, c.y - slope * c.x);
  return ends;
}

BandLine LineAt(double slope, const std::vector<Corner>& lows, const std::vector<Corner>& highs) {
  const Ends ends = EndsAt(slope, lows, highs);
  BandLine line;
  line.slope = slope;
  line.offset = std::isinf(ends.low)    ? (std::isinf(ends.high) ? 0 : ends.high)
                : std::isinf(ends.high) ? ends.low
                                        : (ends.low + ends.high) / 2;
  line.excess = (ends.low - ends.high) / 2;
  return line;
}

}  // namespace

BandLine BestLine(absl::Span<const BandPoint> points) {
  const std::vector<Corner> lows = HullOf(points, true), highs = HullOf(points, false);
  if (lows.empty() || highs.empty() || points.size() == 1) return LineAt(0, lows, highs);
  // At the best slope one end touches two points: it is the slope of an edge of a hull, or lies at
  // the border of where it may be; each side of it the excess rises.
  std::vector<double> slopes = {0};
  for (const std::vector<Corner>* hull : {&lows, &highs}) {
    for (size_t i = 1; i < hull->size(); ++i)
      slopes.push_back(((*hull)[i].y - (*hull)[i - 1].y) / ((*hull)[i].x - (*hull)[i - 1].x));
  }
  std::sort(slopes.begin(), slopes.end());
  size_t low = 0, high = slopes.size() - 1;
  while (high - low > 2) {
    const size_t a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (LineAt(slopes[a], lows, highs).excess < LineAt(slopes[b], lows, highs).excess) {
      high = b;
    } else {
      low = a;
    }
  }
  BandLine best = LineAt(slopes[low], lows, highs);
  for (size_t i = low + 1; i <= high; ++i) {
    const BandLine line = LineAt(slopes[i], lows, highs);
    if (line.excess < best.excess) best = line;
  }
  return best;
}

std::vector<size_t> FewestLines(absl::Span<const BandPoint> points, bool flat_first) {
  std::vector<size_t> counts;
  if (flat_first) {
    double low = -std::numeric_limits<double>::infinity(), high = -low;
    size_t count = 0;
    for (const BandPoint& point : points) {
      low = std::max(low, point.low);
      high = std::min(high, point.high);
      if (low > high) break;
      ++count;
    }
    counts.push_back(count);
    points.remove_prefix(count);
  }
  while (!points.empty()) {
    const size_t count = Longest(
        points.size(), [&](size_t n) { return BestLine(points.subspan(0, n)).excess <= 0; });
    counts.push_back(count);
    points.remove_prefix(count);
  }
  return counts;
}

}  // namespace tessera::npu
