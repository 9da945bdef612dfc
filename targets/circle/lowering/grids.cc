#include "targets/circle/lowering/grids.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::circle {
namespace {

// Of a product that was rounded to f32 once, and of a scale that was.
constexpr double kNear = 4e-7;

bool Near(double value, double code, double scale) {
  return std::abs(code * scale - value) <= kNear * std::abs(value);
}

// Elements that share a scale: `count` runs of `length`, `step` apart.
struct Channel {
  size_t begin, count, step, length;
};

template <class Visit>
bool EachOf(const Channel& channel, Visit visit) {
  for (size_t run = 0; run < channel.count; ++run) {
    for (size_t i = 0; i < channel.length; ++i) {
      if (!visit(channel.begin + run * channel.step + i)) return false;
    }
  }
  return true;
}

// 0: all elements are 0.
std::optional<float> ScaleOf(const float* values, const Channel& channel, int64_t most) {
  double largest = 0;
  const bool finite = EachOf(channel, [&](size_t i) {
    largest = std::max(largest, std::abs(double{values[i]}));
    return std::isfinite(values[i]);
  });
  if (!finite) return std::nullopt;
  if (largest == 0) return 0.0f;
  for (int64_t top = most; top > 0; --top) {
    const float scale = static_cast<float>(largest / static_cast<double>(top));
    if (scale <= 0) continue;
    const bool fits = EachOf(channel, [&](size_t i) {
      return Near(values[i], std::nearbyint(values[i] / scale), scale);
    });
    if (fits) return scale;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Grid> GridOf(const ir::Tensor& constant, int64_t axis, int64_t most) {
  if (constant.dtype() != ir::DType::kF32 || constant.size() == 0) return std::nullopt;
  const std::vector<int64_t> shape(constant.shape().begin(), constant.shape().end());
  const size_t total = static_cast<size_t>(constant.size());
  size_t channels = 1, inner = total;
  if (axis >= 0) {
    channels = static_cast<size_t>(shape[static_cast<size_t>(axis)]);
    inner = 1;
    for (size_t d = static_cast<size_t>(axis) + 1; d < shape.size(); ++d)
      inner *= static_cast<size_t>(shape[d]);
  }
  const float* const values = constant.data<float>();
  const size_t step = channels * inner;
  const auto channel = [&](size_t c) { return Channel{c * inner, total / step, step, inner}; };
  Grid grid;
  float least = 0;
  for (size_t c = 0; c < channels; ++c) {
    const std::optional<float> scale = ScaleOf(values, channel(c), most);
    if (!scale.has_value()) return std::nullopt;
    grid.scale.push_back(*scale);
    if (*scale > 0 && (least == 0 || *scale < least)) least = *scale;
  }
  // Zeros have any scale: that of their neighbours suits what is added to them.
  if (least == 0) least = 1.0f / static_cast<float>(most);
  grid.codes.resize(total);
  for (size_t c = 0; c < channels; ++c) {
    if (grid.scale[c] == 0) grid.scale[c] = least;
    EachOf(channel(c), [&](size_t i) {
      grid.codes[i] = static_cast<int64_t>(std::nearbyint(values[i] / grid.scale[c]));
      return true;
    });
  }
  return grid;
}

std::optional<ir::Tensor> CodesOf(const ir::Tensor& constant, double scale, int64_t zero_point,
                                  ir::DType dtype) {
  if (constant.dtype() != ir::DType::kF32) return std::nullopt;
  const int64_t half = int64_t{1} << (8 * ir::SizeOf(dtype) - 1);
  std::vector<int64_t> codes(static_cast<size_t>(constant.size()));
  for (size_t i = 0; i < codes.size(); ++i) {
    const double value = double{constant.data<float>()[i]}, code = std::nearbyint(value / scale);
    if (!(std::abs(code) <= 2 * static_cast<double>(half)) || !Near(value, code, scale))
      return std::nullopt;
    codes[i] = static_cast<int64_t>(code) + zero_point;
    if (codes[i] < -half || codes[i] >= half) return std::nullopt;
  }
  return StoreCodes(codes, {constant.shape().begin(), constant.shape().end()}, dtype);
}

namespace {

template <class T>
ir::Tensor StoreAs(const std::vector<int64_t>& codes, std::vector<int64_t> shape, ir::DType dtype) {
  const std::vector<T> stored(codes.begin(), codes.end());
  return ir::Tensor::Of<T>(dtype, std::move(shape), absl::MakeConstSpan(stored));
}

}  // namespace

ir::Tensor SaturatedCodesOf(const ir::Tensor& constant, double scale, int64_t zero_point,
                            ir::DType dtype) {
  const int64_t span = int64_t{1} << (8 * ir::SizeOf(dtype));
  const bool is_signed = dtype == ir::DType::kI8 || dtype == ir::DType::kI16;
  const int64_t low = is_signed ? -span / 2 : 0;
  std::vector<int64_t> codes;
  for (int64_t i = 0; i < constant.size(); ++i) {
    // In f32, as the network says; twice the span is beyond any zero point.
    const float quotient = static_cast<float>(constant.AsDouble(i)) / static_cast<float>(scale);
    const double near = std::isnan(quotient) ? 0 : std::nearbyint(double{quotient});
    const double bound = 2 * static_cast<double>(span);
    const int64_t code = static_cast<int64_t>(std::clamp(near, -bound, bound)) + zero_point;
    codes.push_back(std::clamp(code, low, low + span - 1));
  }
  return StoreCodes(codes, {constant.shape().begin(), constant.shape().end()}, dtype);
}

ir::Tensor StoreCodes(const std::vector<int64_t>& codes, std::vector<int64_t> shape,
                      ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kI8:
      return StoreAs<int8_t>(codes, std::move(shape), dtype);
    case ir::DType::kU8:
      return StoreAs<uint8_t>(codes, std::move(shape), dtype);
    case ir::DType::kU16:
      return StoreAs<uint16_t>(codes, std::move(shape), dtype);
    case ir::DType::kI16:
      return StoreAs<int16_t>(codes, std::move(shape), dtype);
    case ir::DType::kI32:
      return StoreAs<int32_t>(codes, std::move(shape), dtype);
    default:
      return StoreAs<int64_t>(codes, std::move(shape), ir::DType::kI64);
  }
}

}  // namespace tessera::circle
