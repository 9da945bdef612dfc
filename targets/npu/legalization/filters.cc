// Convolutions: each is done in the cheapest of the ways that the device has room for.
#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/geometry.h"
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
// are large are filters with zeros. More channels than it takes are columns: pixels of some of them
// lie beside each other, and a filter goes on by all of a pixel.
Translation::Way Translation::AsImage(const Geometry& g) {
  Way way;
  const int64_t high = std::max(g.span(0), g.stride[0]), wide = std::max(g.span(1), g.stride[1]);
  const auto sizes_of = [&](int64_t columns) {
    Sizes sizes(device_, "convolution_2d", options_.widths);
    sizes.Check("input", 'H', g.height)
        .Check("input", 'W', g.width * columns)
        .Check("input", 'D', g.channels / columns)
        .Check("filters", 'N', g.filters)
        .Check("filters", 'H', high)
        .Check("filters", 'W', wide * columns)
        .Check("convolution_stride", 'H', g.stride[0])
        .Check("convolution_stride", 'W', g.stride[1] * columns)
        .CheckRules();
    return sizes.text();
  };
  way.reason = sizes_of(1);
  int64_t columns = 1;  // that a pixel is
  while (!way.reason.empty() && ++columns <= g.channels) {
    if (g.channels % columns == 0 && sizes_of(columns).empty()) way.reason.clear();
    if (way.reason.empty()) break;
  }
  if (way.reason.empty() && g.read && g.count() % Multiple() != 0)
    way.reason = absl::StrCat("its ", g.count(), " elements are read; ", device_.name,
                              " affine.input.H: a multiple of ", Multiple());
  if (!way.reason.empty()) return way;
  const auto positions = [&](int64_t size, size_t d) {
    return (size + 2 * g.before[d] - (d == 0 ? high : wide)) / g.stride[d] + 1;
  };
  // Zeros around the image are no part of it to the device.
  if (high > g.height || wide > g.width)
    way.reason = absl::StrCat("filters are ", high, " by ", wide, ", the image ", g.height, " by ",
                              g.width, "; ", device_.name, " convolution_2d.filters: the input");
  if (!way.reason.empty()) return way;
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
    ir::Value* image =
        layers().Reshaped(flat, {1, g.height, g.width * columns, g.channels / columns});
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
    ir::Value* y =
        layers().Image(image, std::move(w), g.bias, {high, wide * columns},
                       {g.stride[0], g.stride[1] * columns}, {g.before[0], g.before[1] * columns});
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
                                              {"as an image", AsImage(g)},
                                              {"by shifts", ByShifts(g)}};
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

Translation::Geometry Translation::FilterOf(const ir::Operation& op) const {
  const ir::Tensor& w = *op.operand(1)->constant();
  Geometry g = GeometryOf(op);
  g.kernel = {w.shape()[1], w.shape()[2]};
  g.stride = Ints(op, 0), g.dilation = Ints(op, 1), g.before = Ints(op, 2);
  g.groups = std::get<int64_t>(op.attr(4));
  g.w = NumbersOf(w), g.bias = NumbersOf(*op.operand(2)->constant());
  return g;
}

absl::StatusOr<Translation::StoredPtr> Translation::LowerFilter(const ir::Operation& op) {
  const ir::Tensor* w = op.operand(1)->constant();
  const ir::Tensor* bias = op.operand(2)->constant();
  if (w == nullptr || bias == nullptr)
    return absl::UnimplementedError("the device convolves with constant filters only");
  return Convolved(FilterOf(op));
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

}  // namespace tessera::npu
