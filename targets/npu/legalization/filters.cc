// Convolutions and pools: each is done in the cheapest of the ways that the device has room for.
#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/translation.h"

namespace tessera::npu {
namespace {

std::vector<float> NumbersOf(const ir::Tensor& tensor) {
  const float* data = tensor.data<float>();
  return {data, data + tensor.size()};
}

const std::vector<int64_t>& Ints(const ir::Operation& op, size_t attr) {
  return std::get<std::vector<int64_t>>(op.attr(attr));
}

}  // namespace

// Filters [filters, kernel..., channels / groups] over one image, rows first.
struct Translation::Geometry {
  const ir::Value* x = nullptr;
  int64_t images = 1, height = 1, width = 1, channels = 1;
  int64_t rows = 1, columns = 1, filters = 1;  // of the result
  std::vector<int64_t> kernel = {1, 1}, stride = {1, 1}, dilation = {1, 1}, before = {0, 0};
  int64_t groups = 1;
  bool read = false;  // by other layers than those that follow at once
  Numbers w, bias;

  int64_t span(size_t d) const { return (kernel[d] - 1) * dilation[d] + 1; }
  int64_t share() const { return channels / groups; }
  float At(int64_t f, int64_t r, int64_t s, int64_t c) const {
    return w[static_cast<size_t>(((f * kernel[0] + r) * kernel[1] + s) * share() + c)];
  }
  // The first channel that a filter reads.
  int64_t From(int64_t f) const { return f / (filters / groups) * share(); }
  int64_t count() const { return rows * columns * filters; }
};

struct Translation::Way {
  std::string reason;  // why it is none; empty: it is one
  int64_t work = 0;    // multiply-adds
  std::function<absl::StatusOr<StoredPtr>()> build;
};

// Whether layers read it, through functions and views, but for what pools it.
bool Translation::ReadByLayers(const ir::Value* value) const {
  return std::any_of(value->UsesUnsorted().begin(), value->UsesUnsorted().end(),
                     [&](const ir::Use& use) {
                       const Step step = StepOf(*use.op);
                       if (step == Step::kNone)
                         return use.op->results().size() == 1 && ReadByLayers(use.op->result());
                       return step != Step::kWindow;
                     });
}

Translation::Geometry Translation::GeometryOf(const ir::Operation& op) const {
  const Shape x = ShapeOf(op.operand(0)), y = ShapeOf(op.result());
  Geometry g;
  g.x = op.operand(0);
  g.images = x[0], g.height = x[1], g.width = x[2], g.channels = x[3];
  g.rows = y[1], g.columns = y[2], g.filters = y[3];
  g.read = ReadByLayers(op.result());
  return g;
}

absl::StatusOr<ir::Value*> Translation::Widened(const ir::Value* value, int64_t front, int64_t back,
                                                bool counted) {
  const ir::Value* root = Root(value);
  const int64_t count = CountOf(root);
  const auto zeros = [&](Layers& layers, int64_t n) {
    return layers.Constant(Numbers(static_cast<size_t>(n)), {n, 1});
  };
  const int home = LevelOf(root);
  const bool of_host = state_of_.count(root) == 0 && (home < 0 || home % 2 == 0);
  if (of_host && (front > 0 || back > 0)) {
    const int from = std::max(home, 0);
    Layers& host = *At(from).layers;
    ir::Value* whole = OnHost(root, from);
    if (whole == nullptr) return nullptr;
    std::vector<ir::Value*> parts;
    if (front > 0) parts.push_back(zeros(host, front));
    parts.push_back(host.Reshaped(whole, {count, 1}));
    if (back > 0) parts.push_back(zeros(host, back));
    whole = host.Join(parts, 0);
    return whole == nullptr ? nullptr : Crossing(from, whole, level_, root);
  }
  ir::Value* flat = Flat(value);
  if (flat == nullptr) return nullptr;
  if (front == 0 && back < Multiple() && (back == 0 || !counted)) return Fitted(flat, count + back);
  if (back > 0 && count % Alignment() != 0) {
    // By weights, of which those that would yield zeros are zeros.
    constexpr int64_t kMostWeights = int64_t{1} << 22;
    const int64_t all = front + count + back;
    Sizes sizes(device_, "affine", options_.widths);
    sizes.Check("input", 'H', RoundUp(count, Multiple()));
    if (sizes.ok() && all * count <= kMostWeights) {
      Numbers w(static_cast<size_t>(all * count));
      for (int64_t i = 0; i < count; ++i) w[static_cast<size_t>((front + i) * count + i)] = 1.0f;
      return Fitted(
          Materialized({{{Make({flat}, count), std::move(w)}}, Numbers(static_cast<size_t>(all))}),
          all);
    }
    return absl::UnimplementedError(absl::StrCat("zeros would begin amid ", count, " elements; ",
                                                 device_.name, " alignment: ", device_.alignment,
                                                 " bytes, ", Alignment(), " elements"));
  }
  std::vector<ir::Value*> parts;
  if (front > 0) parts.push_back(zeros(layers(), front));
  ir::Value* middle = Fitted(flat, count);
  // A layer that makes it for this alone makes it in its place.
  if (Readers(root) != 1 || middle != flat) middle = CopyOf(middle, count);
  parts.push_back(middle);
  if (back > 0) parts.push_back(zeros(layers(), back));
  return layers().status().ok() ? layers().Join(parts, 0) : nullptr;
}

// Filters of `taps` samples, which go on by `stride`; `front` zeros stand before the image.
Translation::Way Translation::RowWay(const Geometry& g, int64_t front, int64_t taps, int64_t stride,
                                     int64_t positions, int64_t filters,
                                     std::function<void(Numbers&, int64_t taps)> fill,
                                     Numbers bias) {
  const bool legacy = device_.Find("convolution_1d") != nullptr;
  const char* layer = legacy ? "convolution_1d" : "convolution_row";
  Way way;
  // At one position the results are a vector, of which others read as many as the device does.
  if (positions == 1) {
    filters = RoundUp(filters, Multiple());
    bias.resize(static_cast<size_t>(filters));
  }
  // What reads the results reads as many as the device does at once; those behind mean nothing.
  int64_t made = positions;
  while (positions > 1 && made * filters % Multiple() != 0) ++made;
  const int64_t count = g.height * g.width * g.channels;
  const int64_t aligned = RoundUp(front, Alignment());
  const int64_t slack = aligned - front;
  const int64_t multiple = MultipleOf(device_, layer, "filters", 'W', options_.widths.weights);
  // The device goes on by as many samples as a filter has at most.
  const int64_t all_taps = RoundUp(std::max(slack + taps, stride), multiple);
  const int64_t needed = std::max((made - 1) * stride + all_taps, aligned + count);
  const int64_t unit = MultipleOf(device_, layer, "input", 'W', options_.widths.input);
  const int64_t samples = RoundUp(needed, unit);
  // A row that is too long is read in several, which begin, and whose results do, where memory may.
  const int64_t most = Most(device_, layer, "input", 'W') / unit * unit;
  int64_t each = made, read = samples;
  if (samples > most && most > all_taps) {
    int64_t step = 1;
    while (step * stride % Alignment() != 0 || step * filters % Alignment() != 0) step *= 2;
    each = ((most - all_taps) / stride + 1) / step * step;
    if (each > 0) read = RoundUp((each - 1) * stride + all_taps, unit);
  }
  Sizes sizes(device_, layer, options_.widths);
  sizes.Check("input", 'W', read)
      .Check("filters", 'N', filters)
      .Check("filters", 'W', all_taps)
      .Check("convolution_stride", 'W', stride)
      .CheckRules();
  way.reason = sizes.text();
  way.work = positions * filters * all_taps;
  if (!way.reason.empty()) return way;
  way.build = [=, this, x = g.x, wanted = g.count()]() -> absl::StatusOr<StoredPtr> {
    const bool counted = (positions - 1) * stride + slack + taps > aligned + count;
    const absl::StatusOr<ir::Value*> row = Widened(x, aligned, samples - aligned - count, counted);
    if (!row.ok()) return row.status();
    if (*row == nullptr) return StoredPtr();
    Numbers weights(static_cast<size_t>(filters * all_taps));
    Numbers plain(static_cast<size_t>(filters * taps));
    fill(plain, taps);
    for (int64_t f = 0; f < filters; ++f)
      std::copy_n(plain.begin() + f * taps, taps, weights.begin() + f * all_taps + slack);
    std::vector<ir::Value*> pieces;
    for (int64_t from = 0; from < made; from += each) {
      const int64_t here = std::min(each, made - from);
      const int64_t length = each == made ? samples : RoundUp((here - 1) * stride + all_taps, unit);
      ir::Value* part = layers().Part(*row, {from * stride, 0}, {length, 1});
      part = layers().Reshaped(part, {1, length});
      if (part == nullptr) return StoredPtr();
      ir::Value* y = layers().Row(part, weights, bias, stride);
      // Of a row that is longer than what is read of it there may be more positions.
      if (y != nullptr && each != made) y = layers().Part(y, {0, 0}, {here, filters});
      if (y == nullptr) return StoredPtr();
      pieces.push_back(y);
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
  const int64_t span = g.span(1);
  return RowWay(
      g, g.before[1] * g.channels, span * g.channels, g.stride[1] * g.channels, g.rows * g.columns,
      g.filters,
      [g](Numbers& w, int64_t taps) {
        for (int64_t f = 0; f < g.filters; ++f) {
          for (int64_t s = 0; s < g.kernel[1]; ++s) {
            for (int64_t c = 0; c < g.channels; ++c)
              w[static_cast<size_t>(f * taps + s * g.dilation[1] * g.channels + c)] =
                  g.At(f, 0, s, c);
          }
        }
      },
      g.bias);
}

// Whole rows at once: a filter for each column of the result.
Translation::Way Translation::OverRows(const Geometry& g) {
  const int64_t line = g.width * g.channels;
  Numbers bias;
  for (int64_t q = 0; q < g.columns; ++q) bias.insert(bias.end(), g.bias.begin(), g.bias.end());
  return RowWay(
      g, g.before[0] * line, g.span(0) * line, g.stride[0] * line, g.rows, g.columns * g.filters,
      [g, line](Numbers& w, int64_t taps) {
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
      },
      std::move(bias));
}

// Depthwise: the image shifted by each tap, scaled per element, added up.
Translation::Way Translation::ByTaps(const Geometry& g) {
  Way way;
  if (g.groups != g.channels || g.filters != g.channels || g.stride[0] != 1 || g.stride[1] != 1 ||
      g.columns != g.width) {
    way.reason = "not one filter per channel, which goes on by one and keeps the width";
    return way;
  }
  const int64_t line = g.width * g.channels, size = g.count();
  const auto shift = [g, line](int64_t r, int64_t s) {
    return (r * g.dilation[0] - g.before[0]) * line +
           (s * g.dilation[1] - g.before[1]) * g.channels;
  };
  if ((g.channels * g.dilation[1]) % Alignment() != 0 || g.channels % Alignment() != 0) {
    way.reason =
        absl::StrCat("shifts by ", g.channels, " elements; ", device_.name,
                     " alignment: ", device_.alignment, " bytes, ", Alignment(), " elements");
    return way;
  }
  const int64_t front = std::max<int64_t>(0, -shift(0, 0));
  const int64_t back =
      std::max<int64_t>(0, shift(g.kernel[0] - 1, g.kernel[1] - 1) + size - g.height * line);
  way.work = size * g.kernel[0] * g.kernel[1];
  way.build = [=, this]() -> absl::StatusOr<StoredPtr> {
    const absl::StatusOr<ir::Value*> wide = Widened(g.x, front, back, false);
    if (!wide.ok()) return wide.status();
    if (*wide == nullptr) return StoredPtr();
    std::vector<ir::Value*> pieces;
    for (int64_t from = 0; from < size; from += MostElements()) {
      const int64_t n = std::min(MostElements(), size - from);
      ir::Value* sum = nullptr;
      for (int64_t r = 0; r < g.kernel[0]; ++r) {
        for (int64_t s = 0; s < g.kernel[1]; ++s) {
          Numbers w(static_cast<size_t>(n)), bias(static_cast<size_t>(n));
          for (int64_t i = 0; i < n; ++i) {
            const int64_t at = from + i, c = at % g.channels;
            const int64_t row = at / line + r * g.dilation[0] - g.before[0];
            const int64_t column = at / g.channels % g.width + s * g.dilation[1] - g.before[1];
            bias[static_cast<size_t>(i)] = g.bias[static_cast<size_t>(c)];
            if (row >= 0 && row < g.height && column >= 0 && column < g.width)
              w[static_cast<size_t>(i)] = g.At(c, r, s, 0);
          }
          ir::Value* x = layers().Part(*wide, {front + from + shift(r, s), 0}, {n, 1});
          if (x == nullptr) return StoredPtr();
          sum = sum == nullptr ? layers().Diagonal(x, std::move(w), std::move(bias))
                               : layers().Accumulate(x, std::move(w), sum);
          if (sum == nullptr) return StoredPtr();
        }
      }
      pieces.push_back(sum);
    }
    return Make(std::move(pieces), size);
  };
  return way;
}

// The device's own convolution of images; groups, dilation and filters that go on by more than they
// are large are filters with zeros.
Translation::Way Translation::AsImage(const Geometry& g) {
  Way way;
  const int64_t high = std::max(g.span(0), g.stride[0]), wide = std::max(g.span(1), g.stride[1]);
  Sizes sizes(device_, "convolution_2d", options_.widths);
  sizes.Check("input", 'H', g.height)
      .Check("input", 'W', g.width)
      .Check("input", 'D', g.channels)
      .Check("filters", 'N', g.filters)
      .Check("filters", 'H', high)
      .Check("filters", 'W', wide)
      .Check("convolution_stride", 'H', g.stride[0])
      .Check("convolution_stride", 'W', g.stride[1])
      .CheckRules();
  way.reason = sizes.text();
  if (way.reason.empty() && g.read && g.count() % Multiple() != 0)
    way.reason = absl::StrCat("its ", g.count(), " elements are read; ", device_.name,
                              " affine.input.H: a multiple of ", Multiple());
  if (!way.reason.empty()) return way;
  const auto positions = [&](int64_t size, size_t d) {
    return (size + 2 * g.before[d] - (d == 0 ? high : wide)) / g.stride[d] + 1;
  };
  if (g.before[0] >= g.span(0) || g.before[1] >= g.span(1)) {
    way.reason = "more zeros around the image than a filter is large";
  } else if (positions(g.height, 0) < g.rows || positions(g.width, 1) != g.columns) {
    way.reason = "the zeros before and behind the image differ";
  }
  if (!way.reason.empty()) return way;
  way.work = g.count() * high * wide * g.channels;
  way.build = [=, this]() -> absl::StatusOr<StoredPtr> {
    ir::Value* flat = Fitted(Flat(g.x), g.height * g.width * g.channels);
    if (flat == nullptr) return StoredPtr();
    ir::Value* image = layers().Reshaped(flat, {1, g.height, g.width, g.channels});
    if (image == nullptr) return StoredPtr();
    Numbers w(static_cast<size_t>(g.filters * high * wide * g.channels));
    for (int64_t f = 0; f < g.filters; ++f) {
      for (int64_t r = 0; r < g.kernel[0]; ++r) {
        for (int64_t s = 0; s < g.kernel[1]; ++s) {
          const int64_t at =
              ((f * high + r * g.dilation[0]) * wide + s * g.dilation[1]) * g.channels + g.From(f);
          for (int64_t c = 0; c < g.share(); ++c) w[static_cast<size_t>(at + c)] = g.At(f, r, s, c);
        }
      }
    }
    ir::Value* y = layers().Image(image, std::move(w), g.bias, {high, wide}, g.stride, g.before);
    if (y == nullptr) return StoredPtr();
    return Make({y}, g.count());
  };
  return way;
}

absl::StatusOr<Translation::StoredPtr> Translation::Convolved(const Geometry& g) {
  if (g.images != 1)
    return absl::UnimplementedError(absl::StrCat("the device takes one image, here ", g.images));
  const std::pair<const char*, Way> ways[] = {{"along a row", AlongRow(g)},
                                              {"over rows", OverRows(g)},
                                              {"by taps", ByTaps(g)},
                                              {"as an image", AsImage(g)}};
  const Way* best = nullptr;
  std::string reasons;
  for (const auto& [name, way] : ways) {
    if (!way.reason.empty()) {
      absl::StrAppend(&reasons, reasons.empty() ? "" : "\n    ", name, ": ", way.reason);
    } else if (best == nullptr || way.work < best->work) {
      best = &way;
    }
  }
  if (best == nullptr) return absl::UnimplementedError(reasons);
  return best->build();
}

absl::StatusOr<Translation::StoredPtr> Translation::LowerFilter(const ir::Operation& op) {
  const ir::Tensor* w = op.operand(1)->constant();
  const ir::Tensor* bias = op.operand(2)->constant();
  if (w == nullptr || bias == nullptr)
    return absl::UnimplementedError("the device convolves with constant filters only");
  Geometry g = GeometryOf(op);
  g.kernel = {w->shape()[1], w->shape()[2]};
  g.stride = Ints(op, 0), g.dilation = Ints(op, 1), g.before = Ints(op, 2);
  g.groups = std::get<int64_t>(op.attr(4));
  g.w = NumbersOf(*w), g.bias = NumbersOf(*bias);
  return Convolved(g);
}

absl::StatusOr<Translation::StoredPtr> Translation::LowerRowsAlong(const ir::Operation& op,
                                                                   int64_t vectors, Numbers w,
                                                                   Numbers bias) {
  Geometry g;
  g.x = op.operand(0);
  g.read = ReadByLayers(op.result());
  g.width = g.columns = vectors;
  g.filters = static_cast<int64_t>(bias.size());
  g.channels = static_cast<int64_t>(w.size()) / g.filters;
  g.w = std::move(w), g.bias = std::move(bias);
  return Convolved(g);
}

// Channels beside each other, where there are many pixels: filters that put those of each operand
// in their place and zeros in the others', added up.
absl::StatusOr<Translation::StoredPtr> Translation::JoinByFilters(const ir::Operation& op) {
  const int64_t channels = ShapeOf(op.result()).back();
  const int64_t pixels = CountOf(op.result()) / channels;
  const int64_t count = CountOf(op.result()), size = RoundUp(count, Multiple());
  int64_t begin = 0;
  ir::Value* sum = nullptr;
  StoredPtr last;
  for (const ir::Value* operand : op.operands()) {
    Geometry g;
    g.x = operand;
    g.width = g.columns = pixels;
    g.filters = channels;
    g.channels = ShapeOf(operand).back();
    g.w = Numbers(static_cast<size_t>(channels * g.channels));
    g.bias = Numbers(static_cast<size_t>(channels));
    for (int64_t c = 0; c < g.channels; ++c)
      g.w[static_cast<size_t>((begin + c) * g.channels + c)] = 1.0f;
    begin += g.channels;
    const absl::StatusOr<StoredPtr> placed = Convolved(g);
    if (!placed.ok() || *placed == nullptr) return placed;
    ir::Value* flat = Fitted(FlatOf(**placed), size);
    if (flat == nullptr) return StoredPtr();
    if (sum == nullptr) {
      sum = flat;
      continue;
    }
    std::vector<ir::Value*> pieces;
    for (int64_t from = 0; from < size; from += MostElements()) {
      const int64_t n = std::min(MostElements(), size - from);
      ir::Value* bias = layers().Part(sum, {from, 0}, {n, 1});
      ir::Value* part = layers().Part(flat, {from, 0}, {n, 1});
      if (!layers().status().ok()) return StoredPtr();
      pieces.push_back(layers().Accumulate(part, Numbers(static_cast<size_t>(n), 1.0f), bias));
    }
    if (!layers().status().ok()) return StoredPtr();
    last = Make(std::move(pieces), count);
    if (operand != op.operands().back()) sum = FlatOf(*last);
  }
  return last;
}

absl::StatusOr<Translation::StoredPtr> Translation::LowerWindow(const ir::Operation& op) {
  Geometry g = GeometryOf(op);
  const std::vector<int64_t> window = Ints(op, 1), stride = Ints(op, 2), before = Ints(op, 3);
  if (g.images != 1)
    return absl::UnimplementedError(absl::StrCat("the device takes one image, here ", g.images));
  if (before != std::vector<int64_t>{0, 0})
    return absl::UnimplementedError("the device's windows lie within the image");
  const bool mean = std::get<int64_t>(op.attr(0)) != 0;
  const bool whole = window[0] == g.height && window[1] == g.width;
  if (mean) {
    if ((g.rows - 1) * stride[0] + window[0] > g.height ||
        (g.columns - 1) * stride[1] + window[1] > g.width)
      return absl::UnimplementedError("means of windows that hang over the image");
    g.kernel = window, g.stride = stride, g.groups = g.channels;
    const float share = 1.0f / static_cast<float>(window[0] * window[1]);
    g.bias = Numbers(static_cast<size_t>(g.channels));
    if (!whole) {
      g.w = Numbers(static_cast<size_t>(g.channels * window[0] * window[1]), share);
      return Convolved(g);
    }
    Sizes sizes(device_, "affine", options_.widths);
    const int64_t count = g.height * g.width * g.channels;
    sizes.Check("input", 'H', RoundUp(count, Multiple()));
    if (!sizes.ok()) return absl::UnimplementedError(sizes.text());
    ir::Value* flat = Flat(g.x);
    if (flat == nullptr) return StoredPtr();
    Numbers w(static_cast<size_t>(g.channels * count));
    for (int64_t c = 0; c < g.channels; ++c) {
      for (int64_t i = c; i < count; i += g.channels) w[static_cast<size_t>(c * count + i)] = share;
    }
    auto stored = std::make_shared<Stored>();
    stored->count = g.channels;
    stored->form =
        std::make_shared<const Form>(Form{{{Make({flat}, count), std::move(w)}}, g.bias});
    return StoredPtr(stored);
  }
  Sizes sizes(device_, "convolution_2d", options_.widths);
  sizes.Check("pooling_window", 'H', window[0])
      .Check("pooling_window", 'W', window[1])
      .Check("pooling_stride", 'H', stride[0])
      .Check("pooling_stride", 'W', stride[1])
      .CheckRules();
  if (!sizes.ok()) return absl::UnimplementedError(sizes.text());
  const auto positions = [&](int64_t size, size_t d) {
    return (size - window[d] + stride[d] - 1) / stride[d] + 1;
  };
  if (window[0] > g.height || window[1] > g.width || positions(g.height, 0) < g.rows ||
      positions(g.width, 1) != g.columns || window[0] < stride[0] || window[1] < stride[1])
    return absl::UnimplementedError("windows that the device places otherwise at the end of a row");
  StoredPtr x = StoredOf(g.x);
  if (x == nullptr) return StoredPtr();
  // Behind a convolution that nothing else reads; else behind one that changes nothing.
  const Shape image = {1, g.height, g.width, g.channels};
  const auto behind = [&] {
    if (x->form != nullptr || x->pieces.size() != 1 || Readers(Root(g.x)) != 1 ||
        npu::ShapeOf(*x->pieces[0]) != image)
      return false;
    const ir::Operation* producer = x->pieces[0]->producer();
    while (producer != nullptr && producer->info().elementwise)
      producer = producer->operand(0)->producer();
    return producer != nullptr && StepOf(*producer) == Step::kImage;
  };
  if (!behind()) {
    Geometry same = g;
    same.rows = g.height, same.columns = g.width, same.filters = g.channels;
    same.w = Numbers(static_cast<size_t>(g.channels * g.channels));
    same.bias = Numbers(static_cast<size_t>(g.channels));
    for (int64_t c = 0; c < g.channels; ++c) same.w[static_cast<size_t>(c * g.channels + c)] = 1.0f;
    const Way way = AsImage(same);
    if (!way.reason.empty()) return absl::UnimplementedError(way.reason);
    absl::StatusOr<StoredPtr> copied = way.build();
    if (!copied.ok() || *copied == nullptr) return copied;
    x = *std::move(copied);
  }
  ir::Value* y = layers().MaxPool(x->pieces[0], window, stride);
  if (y == nullptr) return StoredPtr();
  return Make({y}, g.count());
}

}  // namespace tessera::npu
