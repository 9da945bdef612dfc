#include "passes/compression/quantization/range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "passes/compression/quantization/rounding.h"

namespace tessera::compression {
namespace {

using calibration::Histogram;

struct Range {
  double least, most;
};

// Ends that cut off something, alone and together.
std::vector<Range> Candidates(const Range& seen) {
  constexpr int kSteps = 48;
  constexpr double kMostCut = 0.75;
  std::vector<Range> all;
  const auto part = [](int i) { return 1 - kMostCut * i / kSteps; };
  for (int i = 0; i <= kSteps; ++i) all.push_back({seen.least * part(i), seen.most * part(i)});
  if (seen.least >= 0 || seen.most <= 0) return all;
  for (int i = 1; i <= kSteps; ++i) {
    all.push_back({seen.least * part(i), seen.most});
    all.push_back({seen.least, seen.most * part(i)});
  }
  return all;
}

// Divergence of what the grid makes of the distribution from the distribution: what is cut off
// falls on the outermost codes, and a code's mass is spread over the bins that round to it.
double Divergence(const Histogram& histogram, const Grid& grid) {
  const double scale = grid.scale.AsDouble(0);
  const auto zero = static_cast<double>(grid.zero_point->AsInt(0));
  const auto low = static_cast<double>(grid.low), high = static_cast<double>(grid.high);
  const auto code_of = [&](int bin) {
    return std::clamp(std::nearbyint(histogram.Center(bin) / scale) + zero, low, high);
  };
  double divergence = 0;
  const auto total = static_cast<double>(histogram.elements());
  for (int begin = 0; begin < Histogram::kBins;) {
    int end = begin;
    double mass = 0, occupied = 0;
    const double code = code_of(begin);
    for (; end < Histogram::kBins && code_of(end) == code; ++end) {
      const auto count = static_cast<double>(histogram.bins()[static_cast<size_t>(end)]);
      mass += count;
      occupied += count > 0 ? 1 : 0;
    }
    // Cut off bins are no part of what the code stands for.
    const double reach = scale / 2 / histogram.width() + 1;
    if (code == low || code == high) occupied = std::min(occupied, 2 * reach);
    for (int bin = begin; bin < end && occupied > 0; ++bin) {
      const auto count = static_cast<double>(histogram.bins()[static_cast<size_t>(bin)]);
      if (count > 0) divergence += count / total * std::log(count * occupied / mass);
    }
    begin = end;
  }
  return divergence;
}

}  // namespace

double ExpectedError(const Histogram& histogram, const Grid& grid, double power) {
  const double scale = grid.scale.AsDouble(0);
  const auto zero = static_cast<double>(grid.zero_point ? grid.zero_point->AsInt(0) : 0);
  const double least = (static_cast<double>(grid.low) - zero) * scale;
  const double most = (static_cast<double>(grid.high) - zero) * scale;
  // Within the range the error is spread evenly over a step, as long as a step is wider than a bin.
  const double inside = std::pow(scale / 2, power) / (power + 1);
  double error = 0;
  for (int bin = 0; bin < Histogram::kBins; ++bin) {
    const int64_t count = histogram.bins()[static_cast<size_t>(bin)];
    if (count == 0) continue;
    const double center = histogram.Center(bin);
    const double cut = center < least ? least - center : center > most ? center - most : 0;
    error += static_cast<double>(count) * (cut > scale / 2 ? std::pow(cut, power) : inside);
  }
  return error / static_cast<double>(std::max<int64_t>(1, histogram.elements()));
}

Grid ChooseGrid(const Histogram& histogram, const RangeMethod& method, ir::DType storage,
                bool symmetric) {
  const Range seen{histogram.elements() == 0 ? 0 : histogram.least(),
                   histogram.elements() == 0 ? 0 : histogram.most()};
  if (method.type == "min_max" || histogram.elements() == 0)
    return GridOf(seen.least, seen.most, storage, symmetric);
  if (method.type == "mean_min_max")
    return GridOf(histogram.mean_least(), histogram.mean_most(), storage, symmetric);
  if (method.type == "percentile")
    return GridOf(histogram.Quantile(method.low_percentile / 100),
                  histogram.Quantile(method.high_percentile / 100), storage, symmetric);
  Grid best = GridOf(seen.least, seen.most, storage, symmetric);
  double least_loss = std::numeric_limits<double>::infinity();
  const double power = method.type == "lp" ? method.power : 2;
  for (const Range& range : Candidates(seen)) {
    const Grid grid = GridOf(range.least, range.most, storage, symmetric);
    const double loss =
        method.type == "kl" ? Divergence(histogram, grid) : ExpectedError(histogram, grid, power);
    if (loss >= least_loss) continue;
    least_loss = loss;
    best = grid;
  }
  return best;
}

}  // namespace tessera::compression
