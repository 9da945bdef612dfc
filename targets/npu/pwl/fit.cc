#include "targets/npu/pwl/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "targets/npu/pwl/band.h"
#include "targets/npu/pwl/longest.h"

namespace tessera::npu {
namespace {

constexpr double kMostCode = 32767;
constexpr size_t kFirstPositions = 64, kFirstValues = 9;
constexpr int64_t kStep = 4;  // bases are multiples of it

TableSegment SegmentAt(int64_t position, double value, const SlopeCode& code) {
  TableSegment segment;
  segment.base = static_cast<int32_t>(position | code.scale);
  segment.value = static_cast<int16_t>(std::clamp(std::lround(value), -32768L, 32767L));
  segment.slope = code.slope;
  return segment;
}

// At the samples and, as what the shift drops is less than a unit, between them.
bool Holds(const TableSegment& segment, absl::Span<const Sample> samples, double error) {
  const double slope = std::ldexp(segment.slope, -segment.shift());
  const double dropped = segment.slope == 0 ? 0 : 1;
  return std::all_of(samples.begin(), samples.end(), [&](const Sample& sample) {
    const double line = segment.value + slope * static_cast<double>(sample.x - segment.position());
    return line - sample.y <= error && sample.y - (line - dropped) <= error;
  });
}

}  // namespace

double SlopeCode::value() const { return std::ldexp(slope, -8 * (scale + 1)); }

std::optional<SlopeCode> CodeOf(double slope) {
  for (int scale = 3; scale >= 0; --scale) {
    const double code = std::nearbyint(std::ldexp(slope, 8 * (scale + 1)));
    if (std::abs(code) <= kMostCode) return SlopeCode{static_cast<int16_t>(code), scale};
  }
  return std::nullopt;
}

std::optional<TableSegment> FitSegment(absl::Span<const Sample> samples, double error) {
  if (samples.size() == 1) return SegmentAt(samples[0].x, samples[0].y, {});
  std::vector<BandPoint> band;
  band.reserve(samples.size());
  for (const Sample& sample : samples)
    band.push_back({static_cast<double>(sample.x), sample.y - error, sample.y + error});
  const BandLine line = BestLine(band);
  if (line.excess > 0) return std::nullopt;
  const std::optional<SlopeCode> nearest = CodeOf(line.slope);
  if (!nearest.has_value()) return std::nullopt;
  for (const int step : {0, -1, 1}) {
    SlopeCode code = *nearest;
    if (std::abs(code.slope + step) > kMostCode) continue;
    code.slope = static_cast<int16_t>(code.slope + step);
    // With the slope that there is the value that leaves as much above as below; what the shift
    // drops is half a unit on average.
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Sample& sample : samples) {
      const double rest = sample.y - code.value() * static_cast<double>(sample.x - samples[0].x);
      low = std::min(low, rest);
      high = std::max(high, rest);
    }
    if (high - low > 2 * error) continue;
    const double middle = (low + high) / 2 + 0.5;
    for (const double value : {middle, middle - 0.5, middle + 0.5}) {
      const TableSegment segment = SegmentAt(samples[0].x, value, code);
      if (Holds(segment, samples, error)) return segment;
    }
  }
  return std::nullopt;
}

FirstSegment FitFirst(absl::Span<const Sample> samples, double error) {
  FirstSegment best;
  // As any other one, from the first sample on.
  best.samples = Longest(samples.size(), [&](size_t n) {
    return FitSegment(samples.subspan(0, n), error).has_value();
  });
  best.segment = *FitSegment(samples.subspan(0, best.samples), error);
  // Or a constant up to one of the samples, and from there a line.
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  std::vector<std::pair<double, double>> values;  // within which the constant is, by sample
  for (const Sample& sample : samples) {
    low = std::max(low, sample.y - error);
    high = std::min(high, sample.y + error);
    if (std::ceil(low) > std::floor(high)) break;
    values.push_back({std::ceil(low), std::floor(high)});
  }
  const size_t step = std::max<size_t>(1, values.size() / kFirstPositions);
  for (size_t from = values.size(); from-- > 0;) {
    if (from % step != 0 && from + 1 != values.size()) continue;
    const auto [least, most] = values[from];
    for (size_t k = 0; k < kFirstValues; ++k) {
      const double value =
          std::nearbyint(least + (most - least) * static_cast<double>(k) / (kFirstValues - 1));
      double lowest = -kMostCode / 256, highest = -lowest, slope = 0;
      size_t end = from + 1;
      for (; end < samples.size(); ++end) {
        const auto dx = static_cast<double>(samples[end].x - samples[from].x);
        // Half a unit is what the shift drops on average.
        lowest = std::max(lowest, (samples[end].y - error - value + 0.5) / dx);
        highest = std::min(highest, (samples[end].y + error - value + 0.5) / dx);
        if (lowest > highest) break;
        slope = (lowest + highest) / 2;
      }
      if (end <= best.samples) continue;
      const std::optional<SlopeCode> code = CodeOf(slope);
      if (!code.has_value()) continue;
      const TableSegment segment = SegmentAt(samples[from].x, value, *code);
      size_t held = from + 1;
      while (held < end && Holds(segment, samples.subspan(held, 1), error)) ++held;
      if (held > best.samples) best = {segment, held};
    }
  }
  return best;
}

std::vector<TableSegment> FitTable(absl::Span<const Sample> samples, double error, size_t most) {
  // A segment of one sample is a constant up to the next one, where the function is elsewhere
  // unless the device could begin no segment between them.
  const auto leaves_a_step = [&](size_t count, const TableSegment& segment) {
    return count == 1 && samples.size() > 1 && samples[1].x - samples[0].x > kStep &&
           std::abs(segment.value - samples[1].y) > error;
  };
  const FirstSegment first = FitFirst(samples, error);
  if (leaves_a_step(first.samples, first.segment)) return {};
  std::vector<TableSegment> segments = {first.segment};
  // A segment holds up to the base of the next one, where it is still within the error.
  const auto advance = [&](size_t count) {
    samples.remove_prefix(count == samples.size() ? count : std::max<size_t>(1, count - 1));
  };
  advance(first.samples);
  while (!samples.empty()) {
    if (segments.size() == most) return {};
    const size_t count = Longest(samples.size(), [&](size_t n) {
      return FitSegment(samples.subspan(0, n), error).has_value();
    });
    segments.push_back(*FitSegment(samples.subspan(0, count), error));
    if (leaves_a_step(count, segments.back())) return {};
    advance(count);
  }
  return segments;
}

}  // namespace tessera::npu
