// Convolutions over a row of samples. What a layer has too few taps or positions for is done by
// several, and what goes on by more than it can, or has too many filters, by affine layers.
#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/geometry.h"
#include "targets/npu/legalization/translation.h"

namespace tessera::npu {
namespace {

constexpr int64_t kMostWeights = int64_t{1} << 26;  // of all layers for one convolution

}  // namespace

const char* Translation::RowLayer() const {
  return device_.Find("convolution_1d") != nullptr ? "convolution_1d" : "convolution_row";
}

int64_t Translation::MostTaps(const char* layer, int64_t filters, int64_t stride) const {
  for (int64_t taps = Most(device_, layer, "filters", 'W') / Alignment() * Alignment(); taps > 0;
       taps -= Alignment()) {
    Sizes sizes(device_, layer, options_.widths);
    sizes.Check("filters", 'N', filters)
        .Check("filters", 'W', taps)
        .Check("convolution_stride", 'W', stride)
        .CheckRules();
    if (sizes.ok()) return taps;
  }
  return 0;
}

// A row that is too long is read in several, which begin, and whose results do, where memory may.
Translation::RowRuns Translation::RunsOfRow(int64_t positions, int64_t taps, int64_t stride,
                                            int64_t filters) const {
  const char* layer = RowLayer();
  const int64_t unit = MultipleOf(device_, layer, "input", 'W', options_.widths.input);
  const int64_t most = Most(device_, layer, "input", 'W') / unit * unit;
  RowRuns runs{positions, RoundUp((positions - 1) * stride + taps, unit)};
  if (runs.read > most && most > taps) {
    int64_t step = 1;
    while (step * stride % Alignment() != 0 || step * filters % Alignment() != 0) step *= 2;
    runs.each = ((most - taps) / stride + 1) / step * step;
    if (runs.each > 0) runs.read = RoundUp((runs.each - 1) * stride + taps, unit);
  }
  return runs;
}

// The positions from `from` on, of a row that begins at `begin`.
ir::Value* Translation::RowRun(ir::Value* all, int64_t begin, int64_t from, int64_t positions,
                               const RowRuns& runs, int64_t stride, const Numbers& weights,
                               const Numbers& bias) {
  const auto filters = static_cast<int64_t>(bias.size());
  const int64_t taps = static_cast<int64_t>(weights.size()) / filters;
  const int64_t unit = MultipleOf(device_, RowLayer(), "input", 'W', options_.widths.input);
  const int64_t here = std::min(runs.each, positions - from);
  const int64_t length = RoundUp((here - 1) * stride + taps, unit);
  ir::Value* part = layers().Part(all, {begin + from * stride, 0}, {length, 1});
  part = layers().Reshaped(part, {1, length});
  if (part == nullptr) return nullptr;
  ir::Value* y = layers().Row(part, weights, bias, stride);
  // Of a row that is longer than what is read of it there may be more positions.
  return y == nullptr ? nullptr : layers().Part(y, {0, 0}, {here, filters});
}

Translation::RowFilters Translation::Together(const RowFilters& row, int64_t count) {
  RowFilters more = row;
  more.taps = (count - 1) * row.stride + row.taps;
  more.stride = count * row.stride;
  more.positions = (row.positions + count - 1) / count;
  for (int64_t i = 1; i < count; ++i)
    more.bias.insert(more.bias.end(), row.bias.begin(), row.bias.end());
  more.fill = [row, count](Numbers& w, int64_t taps) {
    Numbers one(static_cast<size_t>(row.filters() * row.taps));
    row.fill(one, row.taps);
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t f = 0; f < row.filters(); ++f)
        std::copy_n(one.begin() + f * row.taps, row.taps,
                    w.begin() + (i * row.filters() + f) * taps + i * row.stride);
    }
  };
  return more;
}

Translation::Way Translation::RowWay(const Geometry& g, RowFilters row) {
  const char* layer = RowLayer();
  Way way;
  // At one position the results are a vector, of which others read as many as the device does.
  int64_t filters = row.filters();
  if (row.positions == 1) {
    filters = RoundUp(filters, Multiple());
  } else if (const int64_t unit =
                 MultipleOf(device_, layer, "filters", 'N', options_.widths.weights);
             filters % unit != 0) {
    return RowWay(g, Together(row, unit / std::gcd(filters, unit)));
  }
  const int64_t positions = row.positions, stride = row.stride;
  // What reads the results reads as many as the device does at once; those behind mean nothing.
  int64_t made = positions;
  while (positions > 1 && made * filters % Multiple() != 0) ++made;
  const int64_t count = g.height * g.width * g.channels;
  const int64_t aligned = RoundUp(row.front, Alignment());
  const int64_t slack = aligned - row.front;
  const int64_t multiple = MultipleOf(device_, layer, "filters", 'W', options_.widths.weights);
  // The device goes on by as many samples as a filter has at most.
  int64_t taps = RoundUp(std::max(slack + row.taps, stride), multiple), layers_of_taps = 1;
  if (const int64_t most = MostTaps(layer, filters, stride); most > 0 && taps > most) {
    layers_of_taps = (slack + row.taps + most - 1) / most;
    taps = RoundUp((slack + row.taps + layers_of_taps - 1) / layers_of_taps, Alignment());
    taps = std::min(most, std::max(taps, RoundUp(stride, Alignment())));
  }
  const int64_t all_taps = layers_of_taps * taps;
  const int64_t needed = std::max((made - 1) * stride + all_taps, aligned + count);
  const int64_t unit = MultipleOf(device_, layer, "input", 'W', options_.widths.input);
  const int64_t samples = RoundUp(needed, unit);
  const RowRuns runs = RunsOfRow(made, taps, stride, filters);
  Sizes sizes(device_, layer, options_.widths);
  sizes.Check("input", 'W', runs.read)
      .Check("filters", 'N', filters)
      .Check("filters", 'W', taps)
      .Check("convolution_stride", 'W', stride)
      .CheckRules();
  way.reason = sizes.text();
  way.work = positions * filters * (all_taps + layers_of_taps - 1);
  if (way.reason.empty() && filters * all_taps > kMostWeights)
    way.reason = absl::StrCat("it would take ", filters * all_taps, " weights");
  if (!way.reason.empty()) {
    Way affine = ByPositions(g, std::move(row));
    if (affine.reason.empty()) return affine;
    absl::StrAppend(&way.reason, "; by positions: ", affine.reason);
    return way;
  }
  way.build = [=, this, x = g.x, wanted = g.count()]() -> absl::StatusOr<StoredPtr> {
    const bool counted = (positions - 1) * stride + slack + row.taps > aligned + count;
    const absl::StatusOr<ir::Value*> all = Widened(x, aligned, samples - aligned - count, counted);
    if (!all.ok()) return all.status();
    if (*all == nullptr) return StoredPtr();
    Numbers plain(static_cast<size_t>(row.filters() * row.taps));
    row.fill(plain, row.taps);
    std::vector<Numbers> weights;
    for (int64_t k = 0; k < layers_of_taps; ++k) {
      Numbers& w = weights.emplace_back(static_cast<size_t>(filters * taps));
      const int64_t from = std::max<int64_t>(k * taps - slack, 0);
      const int64_t to = std::min((k + 1) * taps - slack, row.taps);
      for (int64_t f = 0; f < filters && from < to; ++f) {
        const auto own = plain.begin() + std::min(f, row.filters() - 1) * row.taps;
        std::copy(own + from, own + to, w.begin() + f * taps + slack + from - k * taps);
      }
    }
    // What is rounded up to is more of the last one, of which every function is what it is there.
    Numbers bias = row.bias;
    bias.resize(static_cast<size_t>(filters), row.bias.back());
    const Numbers none(static_cast<size_t>(filters));
    std::vector<ir::Value*> pieces;
    for (int64_t from = 0; from < made; from += runs.each) {
      ir::Value* sum = nullptr;
      for (int64_t k = 0; k < layers_of_taps; ++k) {
        ir::Value* y = RowRun(*all, k * taps, from, made, runs, stride,
                              weights[static_cast<size_t>(k)], k == 0 ? bias : none);
        sum = k == 0 ? y : Added(y, sum);
        if (sum == nullptr) return StoredPtr();
      }
      pieces.push_back(sum);
    }
    return Make(std::move(pieces), wanted);
  };
  return way;
}

Translation::Way Translation::ByPositions(const Geometry& g, RowFilters row) {
  Way way;
  int64_t together = 1;
  if (row.positions > 1) {
    while (together * row.stride % Alignment() != 0 || together * row.filters() % Alignment() != 0)
      together *= 2;
  }
  const int64_t steps = (row.positions + together - 1) / together;
  const int64_t aligned = RoundUp(row.front, Alignment());
  const int64_t slack = aligned - row.front;
  const int64_t columns = RoundUp(slack + (together - 1) * row.stride + row.taps, Multiple());
  const int64_t rows = together * row.filters();
  way.work = steps * rows * columns;
  if (way.work > kMostWeights) {
    way.reason = absl::StrCat("affine layers would have ", way.work, " weights");
    return way;
  }
  if (steps > device_.operations.most) {
    way.reason = absl::StrCat("it would take ", steps, " layers; ", device_.name,
                              " operations: ", device_.operations.Text(options_.widths.input));
    return way;
  }
  way.build = [=, this, x = g.x, wanted = g.count(),
               count = g.height * g.width * g.channels]() -> absl::StatusOr<StoredPtr> {
    const RowFilters more = Together(row, together);
    const int64_t samples =
        RoundUp(std::max((steps - 1) * more.stride + columns, aligned + count), Multiple());
    const int64_t last = (row.positions - 1) * row.stride + slack + row.taps;
    const absl::StatusOr<ir::Value*> all =
        Widened(x, aligned, samples - aligned - count, last > aligned + count);
    if (!all.ok()) return all.status();
    if (*all == nullptr) return StoredPtr();
    Numbers plain(static_cast<size_t>(rows * more.taps)), w(static_cast<size_t>(rows * columns));
    more.fill(plain, more.taps);
    for (int64_t f = 0; f < rows; ++f)
      std::copy_n(plain.begin() + f * more.taps, more.taps, w.begin() + f * columns + slack);
    std::vector<ir::Value*> pieces;
    for (int64_t step = 0; step < steps; ++step) {
      ir::Value* part = layers().Part(*all, {step * more.stride, 0}, {columns, 1});
      if (part == nullptr) return StoredPtr();
      pieces.push_back(Materialized({{{Make({part}, columns), w}}, more.bias}));
      if (pieces.back() == nullptr) return StoredPtr();
    }
    return Make(std::move(pieces), wanted);
  };
  return way;
}

// One row of pixels, position by position.
Translation::Way Translation::AlongRow(const Geometry& g) {
  const bool points =
      g.kernel == std::vector<int64_t>{1, 1} && g.stride == std::vector<int64_t>{1, 1} &&
      g.before == std::vector<int64_t>{0, 0} && g.columns == g.width && g.rows == g.height;
  if (g.groups != 1) return {"filters of groups of channels do not read neighbouring samples"};
  if (!points && (g.height != 1 || g.kernel[0] != 1 || g.rows != 1))
    return {"the image has several rows"};
  RowFilters row;
  row.front = g.before[1] * g.channels;
  row.taps = g.span(1) * g.channels;
  row.stride = g.stride[1] * g.channels;
  row.positions = g.rows * g.columns;
  row.bias = g.bias;
  row.fill = [g](Numbers& w, int64_t taps) {
    for (int64_t f = 0; f < g.filters; ++f) {
      for (int64_t s = 0; s < g.kernel[1]; ++s) {
        for (int64_t c = 0; c < g.channels; ++c)
          w[static_cast<size_t>(f * taps + s * g.dilation[1] * g.channels + c)] = g.At(f, 0, s, c);
      }
    }
  };
  return RowWay(g, std::move(row));
}

// Whole rows at once: a filter for each column of the result.
Translation::Way Translation::OverRows(const Geometry& g) {
  const int64_t line = g.width * g.channels;
  RowFilters row;
  row.front = g.before[0] * line;
  row.taps = g.span(0) * line;
  row.stride = g.stride[0] * line;
  row.positions = g.rows;
  for (int64_t q = 0; q < g.columns; ++q)
    row.bias.insert(row.bias.end(), g.bias.begin(), g.bias.end());
  row.fill = [g, line](Numbers& w, int64_t taps) {
    for (int64_t q = 0; q < g.columns; ++q) {
      for (int64_t f = 0; f < g.filters; ++f) {
        for (int64_t r = 0; r < g.kernel[0]; ++r) {
          for (int64_t s = 0; s < g.kernel[1]; ++s) {
            const int64_t column = q * g.stride[1] + s * g.dilation[1] - g.before[1];
            if (column < 0 || column >= g.width) continue;
            const int64_t at = (q * g.filters + f) * taps + r * g.dilation[0] * line +
                               column * g.channels + g.From(f);
            for (int64_t c = 0; c < g.share(); ++c)
              w[static_cast<size_t>(at + c)] = g.At(f, r, s, c);
          }
        }
      }
    }
  };
  return RowWay(g, std::move(row));
}

}  // namespace tessera::npu
