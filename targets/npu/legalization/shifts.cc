// An image as one row of pixels: for each entry of a filter, or each of its rows, the row is
// convolved from where that entry stands, and what comes of it is added up. Pixels that a filter
// would take from a neighbouring row are left out by weights of 0; columns and rows of results
// that the filter does not stop at are cut out.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/geometry.h"
#include "targets/npu/legalization/translation.h"

namespace tessera::npu {
namespace {

constexpr int64_t kMostTaps = 128;   // layers for one convolution
constexpr int64_t kMostRows = 1024;  // that are cut out, by a copy each

}  // namespace

Translation::Way Translation::ByShifts(const Geometry& g) {
  Way way;
  const int64_t unit = MultipleOf(device_, RowLayer(), "filters", 'N', options_.widths.weights);
  const int64_t stride = g.stride[1] * g.channels;
  const int64_t columns = g.width / g.stride[1];  // of what is computed
  const int64_t positions = ((g.rows - 1) * g.stride[0] + 1) * columns;
  const bool whole = g.columns == columns && g.stride[0] == 1;
  if (g.width % g.stride[1] != 0 || g.columns > columns || g.filters % unit != 0) {
    way.reason = g.filters % unit != 0
                     ? absl::StrCat("filters.N is ", g.filters, "; ", device_.name, " ", RowLayer(),
                                    ".filters.N: a multiple of ", unit)
                     : "results do not lie below each other";
    return way;
  }
  if (!whole && (g.columns * g.filters % Alignment() != 0 ||
                 g.stride[0] * columns * g.filters % Alignment() != 0 || g.rows > kMostRows)) {
    way.reason = absl::StrCat(
        "rows of ", g.columns * g.filters, " elements of ", columns * g.filters, " are cut out; ",
        device_.name, " alignment: ", device_.alignment, " bytes, ", Alignment(), " elements");
    return way;
  }
  // Without zeros before and behind, all columns of a filter read what is their own.
  const bool inside = g.before[1] == 0 && (g.columns - 1) * g.stride[1] + g.span(1) <= g.width;
  const int64_t entries = inside ? 1 : g.kernel[1];
  const int64_t line = g.width * g.channels, count = g.height * line;
  int64_t made = positions;
  while (made * g.filters % Multiple() != 0) ++made;
  const int64_t own = (inside ? g.span(1) : 1) * g.channels;
  const int64_t taps =
      RoundUp(std::max(Alignment() - 1 + own, stride),
              MultipleOf(device_, RowLayer(), "filters", 'W', options_.widths.weights));
  const RowRuns runs = RunsOfRow(made, taps, stride, g.filters);
  Sizes sizes(device_, RowLayer(), options_.widths);
  sizes.Check("input", 'W', runs.read)
      .Check("filters", 'N', g.filters)
      .Check("filters", 'W', taps)
      .Check("convolution_stride", 'W', stride)
      .CheckRules();
  way.reason = sizes.text();
  if (way.reason.empty() && g.kernel[0] * entries > kMostTaps)
    way.reason = absl::StrCat("it would take ", g.kernel[0] * entries, " layers");
  if (!way.reason.empty()) return way;
  way.work = g.kernel[0] * entries * positions * g.filters * (taps + 1);
  way.build = [=, this]() -> absl::StatusOr<StoredPtr> {
    const auto shift = [&](int64_t r, int64_t s) {
      return (r * g.dilation[0] - g.before[0]) * line +
             (s * g.dilation[1] - g.before[1]) * g.channels;
    };
    const int64_t front = RoundUp(std::max<int64_t>(0, -shift(0, 0)), Alignment());
    const int64_t last = shift(g.kernel[0] - 1, inside ? 0 : g.kernel[1] - 1);
    const int64_t samples =
        RoundUp(std::max(front + count, front + last + (made - 1) * stride + taps), Alignment());
    const absl::StatusOr<ir::Value*> all = Widened(g.x, front, samples - front - count, true);
    if (!all.ok()) return all.status();
    if (*all == nullptr) return StoredPtr();
    // What reads no other row than its own comes first: nothing is left out of it.
    std::vector<std::pair<int64_t, int64_t>> order;
    for (int64_t r = 0; r < g.kernel[0]; ++r) {
      for (int64_t s = 0; s < entries; ++s) order.push_back({r, s});
    }
    const auto kept = [&](int64_t s, int64_t q) {
      const int64_t column = q * g.stride[1] + s * g.dilation[1] - g.before[1];
      return inside || (column >= 0 && column < g.width);
    };
    const auto all_kept = [&](const std::pair<int64_t, int64_t>& entry) {
      for (int64_t q = 0; q < columns; ++q) {
        if (!kept(entry.second, q)) return false;
      }
      return true;
    };
    std::stable_partition(order.begin(), order.end(), all_kept);
    const int64_t size = made * g.filters;
    ir::Value* sum = nullptr;
    for (const auto& [r, s] : order) {
      const int64_t begin = front + shift(r, s), aligned = begin / Alignment() * Alignment();
      Numbers w(static_cast<size_t>(g.filters * taps));
      for (int64_t f = 0; f < g.filters; ++f) {
        for (int64_t k = 0; k < (inside ? g.kernel[1] : 1); ++k) {
          for (int64_t c = 0; c < g.share(); ++c)
            w[static_cast<size_t>(f * taps + begin - aligned + k * g.dilation[1] * g.channels +
                                  g.From(f) + c)] = g.At(f, r, s + k, c);
        }
      }
      const Numbers bias = sum == nullptr ? g.bias : Numbers(static_cast<size_t>(g.filters));
      std::vector<ir::Value*> pieces;
      for (int64_t from = 0; from < made; from += runs.each) {
        ir::Value* y = RowRun(*all, aligned, from, made, runs, stride, w, bias);
        if (y == nullptr) return StoredPtr();
        pieces.push_back(layers().Reshaped(y, {ElementCountOf(*y), 1}));
      }
      ir::Value* y = layers().Join(pieces, 0);
      if (y == nullptr) return StoredPtr();
      if (sum == nullptr && all_kept({r, s})) {
        sum = y;
        continue;
      }
      std::vector<ir::Value*> parts;
      for (int64_t from = 0; from < size; from += MostElements()) {
        const int64_t n = std::min(MostElements(), size - from);
        Numbers mask(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i)
          mask[static_cast<size_t>(i)] = kept(s, (from + i) / g.filters % columns) ? 1.0f : 0.0f;
        ir::Value* part = layers().Part(y, {from, 0}, {n, 1});
        ir::Value* base = sum == nullptr ? nullptr : layers().Part(sum, {from, 0}, {n, 1});
        if (!layers().status().ok()) return StoredPtr();
        parts.push_back(sum == nullptr
                            ? layers().Diagonal(part, mask, Numbers(static_cast<size_t>(n)))
                            : layers().Accumulate(part, std::move(mask), base));
      }
      if (!layers().status().ok()) return StoredPtr();
      sum = layers().Join(parts, 0);
    }
    if (sum == nullptr) return StoredPtr();
    if (whole) {
      const ir::Operation* join = sum->producer();
      if (join != nullptr && StepOf(*join) == Step::kJoin)
        return Make({join->operands().begin(), join->operands().end()}, g.count());
      return Make({sum}, g.count());
    }
    std::vector<ir::Value*> rows;
    for (int64_t p = 0; p < g.rows; ++p) {
      const int64_t n = g.columns * g.filters;
      rows.push_back(
          CopyOf(layers().Part(sum, {p * g.stride[0] * columns * g.filters, 0}, {n, 1}), n));
      if (rows.back() == nullptr) return StoredPtr();
    }
    return Make(std::move(rows), g.count());
  };
  return way;
}

}  // namespace tessera::npu
