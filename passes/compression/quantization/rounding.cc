#include "passes/compression/quantization/rounding.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "passes/compression/quantization/nearest_integer.h"

namespace tessera::compression {
namespace {

// Smaller ones would be denormal when multiplied.
constexpr double kLeastScale = 1e-30;

// Calls f(index, scale, zero point) for each element.
template <class F>
void ForEach(const ir::Tensor& x, const Grid& grid, F f) {
  const float* scale = grid.scale.data<float>();
  const auto zero = [&](int64_t i) {
    return grid.zero_point ? grid.zero_point->data<int32_t>()[i] : 0;
  };
  const Along along = Along::Axis(x.shape(), grid.axis);
  const int64_t blocks = grid.block == 0 ? 0 : (along.n + grid.block - 1) / grid.block;
  int64_t index = 0;
  for (int64_t o = 0; o < along.outer; ++o) {
    for (int64_t e = 0; e < along.n; ++e) {
      if (grid.block > 0) {
        const int64_t row = (o * blocks + e / grid.block) * along.inner;
        for (int64_t i = 0; i < along.inner; ++i, ++index) f(index, scale[row + i], zero(row + i));
      } else {
        const int64_t s = grid.axis < 0 ? 0 : e;
        const float scale_here = scale[s];
        const int32_t zero_here = zero(s);
        for (int64_t i = 0; i < along.inner; ++i, ++index) f(index, scale_here, zero_here);
      }
    }
  }
}

// Calls f(first index, size, scale, zero point) for neighbouring elements that share them.
template <class F>
void ForEachRun(const ir::Tensor& x, const Grid& grid, F f) {
  if (grid.block > 0) {
    ForEach(x, grid, [&](int64_t i, float scale, int32_t zero) { f(i, int64_t{1}, scale, zero); });
    return;
  }
  const Along along = Along::Axis(x.shape(), grid.axis);
  for (int64_t run = 0; run < along.outer * along.n; ++run) {
    const int64_t s = grid.axis < 0 ? 0 : run % along.n;
    f(run * along.inner, along.inner, grid.scale.data<float>()[s],
      grid.zero_point ? grid.zero_point->data<int32_t>()[s] : 0);
  }
}

}  // namespace

Along Along::Axis(absl::Span<const int64_t> shape, int64_t axis) {
  Along along;
  if (axis < 0) {
    for (const int64_t dim : shape) along.inner *= dim;
    return along;
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t& part = static_cast<int64_t>(d) < axis    ? along.outer
                    : static_cast<int64_t>(d) == axis ? along.n
                                                      : along.inner;
    part *= shape[d];
  }
  return along;
}

Codes Codes::Of(ir::DType storage) {
  switch (storage) {
    case ir::DType::kU8:
      return {0, 255};
    case ir::DType::kI16:
      return {-32768, 32767};
    case ir::DType::kU16:
      return {0, 65535};
    case ir::DType::kI32:
      return {INT32_MIN, INT32_MAX};
    case ir::DType::kI4:
      return {-8, 7};
    case ir::DType::kU4:
      return {0, 15};
    case ir::DType::kI2:
      return {-2, 1};
    case ir::DType::kU2:
      return {0, 3};
    default:
      return {-128, 127};
  }
}

ir::Tensor CodesOf(const ir::Tensor& x, const Grid& grid) {
  ir::Tensor codes = *ir::Tensor::Allocate(ir::DType::kI32, x.shape());
  const float* in = x.data<float>();
  auto* out = codes.mutable_data<int32_t>();
  const auto low = static_cast<double>(grid.low), high = static_cast<double>(grid.high);
  ForEach(x, grid, [&](int64_t i, float scale, int32_t zero) {
    const double code = std::nearbyint(in[i] / scale) + zero;
    out[i] = static_cast<int32_t>(code >= low ? std::min(code, high) : low);  // NaN: low
  });
  return codes;
}

ir::Tensor NumbersOf(const ir::Tensor& codes, const Grid& grid) {
  ir::Tensor numbers = *ir::Tensor::Allocate(ir::DType::kF32, codes.shape());
  const auto* in = codes.data<int32_t>();
  float* out = numbers.mutable_data<float>();
  ForEach(codes, grid, [&](int64_t i, float scale, int32_t zero) {
    out[i] = static_cast<float>(in[i] - zero) * scale;
  });
  return numbers;
}

ir::Tensor OnGrid(const ir::Tensor& x, const Grid& grid, int64_t* saturated) {
  ir::Tensor numbers = *ir::Tensor::Allocate(ir::DType::kF32, x.shape());
  const float* in = x.data<float>();
  float* out = numbers.mutable_data<float>();
  const auto low = static_cast<float>(grid.low), high = static_cast<float>(grid.high);
  int64_t cut = 0;
  ForEachRun(x, grid, [&](int64_t begin, int64_t size, float scale, int32_t zero) {
    const auto z = static_cast<float>(zero);
    const float least = low - z, most = high - z;
    // As many as stay in the cache.
    constexpr int64_t kTogether = 4096;
    for (const int64_t end = begin + size; begin < end; begin += kTogether) {
      const int64_t n = std::min(kTogether, end - begin);
      const Eigen::ArrayXf code = Eigen::Map<const Eigen::ArrayXf>(in + begin, n) / scale;
      // NaN is the least.
      const Eigen::ArrayXf kept = (code >= least).select(code.min(most), least);
      cut += n - (code >= least - 0.5F && code <= most + 0.5F).count();
      Eigen::Map<Eigen::ArrayXf>(out + begin, n) = NearestInteger(kept) * scale;
    }
  });
  if (saturated != nullptr) *saturated += cut;
  return numbers;
}

ir::Tensor OnItsOwnGrid(const ir::Tensor& x) {
  const Eigen::Map<const Eigen::ArrayXf> all(x.data<float>(), x.size());
  if (x.size() == 0 || !all.isFinite().all()) return x;
  const float least = std::min(all.minCoeff(), 0.0F), most = std::max(all.maxCoeff(), 0.0F);
  const float scale = (most - least) / 255;
  if (!(scale > 0) || !std::isfinite(scale)) return x;
  Grid grid;
  grid.storage = ir::DType::kU8;
  grid.low = 0;
  grid.high = 255;
  grid.scale = ir::Tensor::Of<float>(ir::DType::kF32, {}, std::vector<float>{scale});
  grid.zero_point = ir::Tensor::Of<int32_t>(
      ir::DType::kI32, {},
      std::vector<int32_t>{
          static_cast<int32_t>(std::nearbyint(std::clamp(-least / scale, 0.0F, 255.0F)))});
  return OnGrid(x, grid);
}

Grid GridOf(double least, double most, ir::DType storage, bool symmetric) {
  least = std::min(least, 0.0);
  most = std::max(most, 0.0);
  const Codes codes = Codes::Of(storage);
  Grid grid;
  grid.storage = storage;
  grid.low = codes.low;
  grid.high = codes.high;
  double scale = 0;
  int64_t zero = 0;
  const auto levels = static_cast<double>(codes.high - codes.low);
  if (symmetric && codes.low == 0 && least < 0) {
    zero = (codes.high + 1) / 2;
    scale = std::max(-least, most) / static_cast<double>(codes.high - zero);
  } else if (symmetric) {
    scale = std::max(-least, most) / static_cast<double>(codes.high);
  } else {
    scale = (most - least) / levels;
    if (scale > kLeastScale) {
      const double exact = static_cast<double>(codes.low) - least / scale;
      zero = std::clamp(static_cast<int64_t>(std::nearbyint(exact)), codes.low, codes.high);
      // An integral zero point moves both ends; the scale that still holds both.
      const auto below = static_cast<double>(zero - codes.low);
      const auto above = static_cast<double>(codes.high - zero);
      if (below > 0) scale = std::max(scale, -least / below);
      if (above > 0) scale = std::max(scale, most / above);
    }
  }
  if (!(scale > kLeastScale)) scale = 1;
  const float narrow = static_cast<float>(scale);
  grid.scale = ir::Tensor::Of<float>(ir::DType::kF32, {}, absl::MakeConstSpan(&narrow, 1));
  const auto point = static_cast<int32_t>(zero);
  grid.zero_point = ir::Tensor::Of<int32_t>(ir::DType::kI32, {}, absl::MakeConstSpan(&point, 1));
  return grid;
}

}  // namespace tessera::compression
