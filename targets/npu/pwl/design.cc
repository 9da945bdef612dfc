#include "targets/npu/pwl/design.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "targets/npu/pwl/band.h"
#include "targets/npu/pwl/error.h"
#include "targets/npu/pwl/exact.h"
#include "targets/npu/pwl/fit.h"

namespace tessera::npu {
namespace {

constexpr int kErrorSteps = 7;    // of the search for the least error that the segments give
constexpr int kClosingSteps = 6;  // of what samples left out
constexpr double kRounding = 0.5;
constexpr int kNarrowingSteps = 8;

// How far the output's type can express the function from `from` on in one direction; at most to
// `limit`.
int64_t Reach(const ScaledFunction& function, int64_t from, int64_t limit) {
  const auto inside = [&](int64_t x) {
    const double y = (*function.function)(static_cast<double>(x) / function.in) * function.out;
    return y >= static_cast<double>(function.lowest) && y <= static_cast<double>(function.highest);
  };
  int64_t good = from, step = limit > from ? 4 : -4;
  while (good != limit) {
    int64_t next = good + step;
    if ((step > 0) ? next > limit : next < limit) next = limit;
    if (!inside(next)) {
      while (std::abs(next - good) > 4) {
        const int64_t middle = good + (next - good) / 2;
        (inside(middle) ? good : next) = middle;
      }
      return good;
    }
    good = next;
    step *= 2;
  }
  return good;
}

int64_t LowerBound(absl::Span<const Sample> samples, const ScaledFunction& function, double error) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double room = error + kRounding + 1e-6;
  std::vector<BandPoint> band;
  band.reserve(samples.size());
  for (const Sample& sample : samples) {
    // What saturates there may be anything beyond.
    const double low = sample.y - room, high = sample.y + room;
    band.push_back({static_cast<double>(sample.x),
                    low <= static_cast<double>(function.lowest) ? -kInfinity : low,
                    high >= static_cast<double>(function.highest) ? kInfinity : high});
  }
  const auto lines = static_cast<int64_t>(FewestLines(band, true).size());
  return std::max<int64_t>(1, lines - 1);
}

// A segment that changes nothing, before all others.
void Prepend(std::vector<TableSegment>& segments) {
  TableSegment flat;
  flat.base = INT32_MIN;
  flat.value = segments[0].value;
  segments.insert(segments.begin(), flat);
}

std::string Percent(double part) { return absl::StrFormat("%.3g %%", part * 100); }

// The least error at which `most` segments are enough, by doubling and halving.
double LeastError(absl::Span<const Sample> samples, double error, size_t most) {
  double enough = error;
  while (FitTable(samples, enough, most).empty()) enough *= 2;
  double little = enough / 2;
  for (int i = 0; i < kErrorSteps; ++i) {
    const double middle = (enough + little) / 2;
    (FitTable(samples, middle, most).empty() ? little : enough) = middle;
  }
  return enough;
}

}  // namespace

absl::StatusOr<Table> DesignTable(const TableRequest& request) {
  const ScaledFunction& function = request.function;
  Table table;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (const Sample& sample : SamplesOf(function, request.least, request.most, kRounding)) {
    lowest = std::min(lowest, sample.y);
    highest = std::max(highest, sample.y);
  }
  table.least = Reach(function, request.least, std::min(request.least, request.lowest));
  table.most = Reach(function, request.most, std::max(request.most, request.highest));
  // Of lines of which calibration saw a flat one alone the others count.
  if (highest - lowest < 1) {
    const std::vector<Sample> all = SamplesOf(function, table.least, table.most, kRounding);
    if (!ExactTable(all, function).empty()) {
      for (const Sample& sample : all) {
        lowest = std::min(lowest, sample.y);
        highest = std::max(highest, sample.y);
      }
    }
  }
  table.range = std::max(highest - lowest, 1.0);
  const double allowed = request.max_error * table.range + request.rounding;
  const auto most = static_cast<size_t>(request.most_segments);
  std::vector<Sample> samples;
  for (int step = 0;; ++step) {
    samples = SamplesOf(function, table.least, table.most, std::max(allowed / 8192, 1e-3));
    const bool all = table.least == request.least && table.most == request.most;
    if (all || !FitTable(samples, allowed, most).empty() || !ExactTable(samples, function).empty())
      break;
    // Not all that may occur: closer to what must hold.
    const bool last = step == kNarrowingSteps;
    table.least = last ? request.least : request.least - (request.least - table.least) / 2;
    table.most = last ? request.most : request.most + (table.most - request.most) / 2;
  }
  table.lower_bound = LowerBound(samples, function, allowed);
  table.segments = ExactTable(samples, function);
  const auto error = [&] { return ErrorOf(table.segments, function, table.least, table.most); };
  table.exact =
      !table.segments.empty() && table.segments.size() <= most && error().worst <= allowed;
  if (!table.exact) {
    table.segments = FitTable(samples, allowed, most);
    if (table.segments.empty()) {
      const double possible = LeastError(samples, allowed, most) - request.rounding;
      return absl::InvalidArgumentError(absl::StrCat(
          "an error of ", Percent(request.max_error), " of the range takes more than ", most,
          " segments, which the device has; with those it is ", Percent(possible / table.range)));
    }
    // The same number of segments at the least error; what lies between samples may be worse.
    double least = kRounding, enough = allowed;
    for (int i = 0; i < kErrorSteps; ++i) {
      const double middle = (least + enough) / 2;
      std::vector<TableSegment> better = FitTable(samples, middle, table.segments.size());
      if (better.empty()) {
        least = middle;
      } else {
        enough = middle;
        table.segments = std::move(better);
      }
    }
    for (int i = 0; i < kClosingSteps && error().worst > allowed; ++i) {
      enough *= 0.9;
      std::vector<TableSegment> closer = FitTable(samples, enough, most);
      if (!closer.empty()) table.segments = std::move(closer);
    }
  }
  const TableError worst = error();
  if (worst.worst > allowed)
    return absl::InvalidArgumentError(
        absl::StrCat("the function jumps near ",
                     absl::StrFormat("%.6g", static_cast<double>(worst.at) / function.in),
                     ": next to it a table, whose bases are multiples of 4, is off by ",
                     Percent(worst.worst / table.range), " of the range"));
  table.error = worst.worst / table.range;
  table.error_at = worst.at;
  while (static_cast<int64_t>(table.segments.size()) < request.least_segments)
    Prepend(table.segments);
  return table;
}

}  // namespace tessera::npu
