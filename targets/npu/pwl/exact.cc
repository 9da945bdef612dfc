#include "targets/npu/pwl/exact.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "targets/npu/pwl/band.h"
#include "targets/npu/pwl/fit.h"

namespace tessera::npu {
namespace {

constexpr size_t kMostLines = 16;

struct Piece {
  double slope = 0, at_zero = 0;  // the line at sum 0
  int64_t first = 0, last = 0;    // sums, sampled, that it takes

  double At(double x) const { return at_zero + slope * x; }
};

// f64 leaves about this much of the values.
double ToleranceOf(absl::Span<const Sample> samples) {
  double most = 1;
  for (const Sample& sample : samples) most = std::max(most, std::abs(sample.y));
  return most * 1e-10;
}

std::vector<Piece> PiecesOf(absl::Span<const Sample> samples, double tolerance) {
  std::vector<BandPoint> band;
  for (const Sample& sample : samples)
    band.push_back({static_cast<double>(sample.x), sample.y - tolerance, sample.y + tolerance});
  std::vector<Piece> pieces;
  size_t begin = 0;
  const std::vector<size_t> counts = FewestLines(band, false);
  if (counts.size() > kMostLines) return {};
  for (const size_t count : counts) {
    const BandLine line = BestLine(absl::MakeSpan(band).subspan(begin, count));
    Piece piece;
    piece.slope = line.slope;
    piece.first = samples[begin].x;
    piece.last = samples[begin + count - 1].x;
    piece.at_zero = line.offset - line.slope * static_cast<double>(piece.first);
    pieces.push_back(piece);
    begin += count;
  }
  return pieces;
}

// Where `b` takes over from `a`: where they meet, else the first sum that is not on `a`.
int64_t Border(const Piece& a, const Piece& b, const ScaledFunction& function, double tolerance) {
  if (a.slope != b.slope) {
    const double meet = (a.at_zero - b.at_zero) / (b.slope - a.slope);
    if (meet >= static_cast<double>(a.last) - 0.5 && meet <= static_cast<double>(b.first) + 0.5)
      return static_cast<int64_t>(std::floor(meet));
  }
  int64_t on = a.last, off = b.first;
  while (off - on > 1) {
    const int64_t middle = on + (off - on) / 2;
    (std::abs(function(middle) - a.At(static_cast<double>(middle))) <= 2 * tolerance ? on : off) =
        middle;
  }
  return off;
}

// The line with the slope that the device has: as near to the other one as it is where values are
// small, so that what is added up afterwards errs to both sides.
Piece WithSlopeOf(const SlopeCode& code, const Piece& piece, int64_t border) {
  const auto from = static_cast<double>(border);
  const double anchor = std::clamp(0.0, from, std::max(from, static_cast<double>(piece.last)));
  Piece coded = piece;
  coded.slope = code.value();
  coded.at_zero = piece.At(anchor) - coded.slope * anchor;
  return coded;
}

// The line from `border` on; not before `least`.
TableSegment SegmentOf(const Piece& piece, const SlopeCode& code, int64_t border, int64_t least) {
  const double start = piece.At(static_cast<double>(border)) + 0.5;
  double value = std::floor(start), back = 0;
  if (code.slope > 0) back = (start - value) / code.value();
  if (code.slope < 0) {
    value = std::ceil(start);
    back = (start - value) / code.value();
  }
  int64_t position = (border - static_cast<int64_t>(std::floor(back))) & ~int64_t{3};
  if (position < least || back > 1e9) {
    position = std::max(least, border & ~int64_t{3});
    value = std::nearbyint(piece.At(static_cast<double>(position)));
  }
  TableSegment segment;
  segment.base = static_cast<int32_t>(position | code.scale);
  segment.value = static_cast<int16_t>(std::clamp(value, -32768.0, 32767.0));
  segment.slope = code.slope;
  return segment;
}

}  // namespace

std::vector<TableSegment> ExactTable(absl::Span<const Sample> samples,
                                     const ScaledFunction& function) {
  const double tolerance = ToleranceOf(samples);
  const std::vector<Piece> pieces = PiecesOf(samples, tolerance);
  std::vector<TableSegment> segments;
  int64_t least = INT32_MIN + 4;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    const std::optional<SlopeCode> code = CodeOf(piece.slope);
    if (!code.has_value()) return {};
    const int64_t border = i == 0 ? piece.first : Border(pieces[i - 1], piece, function, tolerance);
    // The first segment has its value before it too.
    const double first = samples[0].y;
    const bool begins_flat =
        i == 0 && std::abs(piece.At(static_cast<double>(piece.last)) - first) <= tolerance * 4;
    if (begins_flat && pieces.size() > 1) {
      const double next =
          pieces[1].At(static_cast<double>(Border(piece, pieces[1], function, tolerance)));
      if (std::abs(next - first) <= 0.5) continue;
    }
    const Piece coded = WithSlopeOf(*code, piece, border);
    int64_t from = border;
    // No value to begin with lies beyond what the output's type holds.
    const double beyond = coded.slope > 0 ? static_cast<double>(function.lowest) + 1
                                          : static_cast<double>(function.highest) - 1;
    const double at_border = coded.At(static_cast<double>(border));
    if (i == 0 && coded.slope != 0 && (coded.slope > 0) == (at_border < beyond))
      from = static_cast<int64_t>(std::ceil((beyond - coded.at_zero) / coded.slope));
    segments.push_back(SegmentOf(coded, *code, from, least));
    least = segments.back().position() + 4;
  }
  return segments;
}

}  // namespace tessera::npu
