#include "passes/compression/quantization/channels_met.h"

#include <algorithm>
#include <cstddef>

#include "passes/compression/quantization/product_shape.h"
#include "passes/compression/quantization/rounding.h"

namespace tessera::compression {
namespace {

// What all elements meet, on data of that shape. Nullopt: as for FindChannelsMet, or there are
// elements that meet nothing there.
std::optional<ChannelsMet> Ask(const WeightSite& site, const ProductShape& product,
                               const std::vector<int64_t>& shape, int64_t axis, bool all,
                               const solver::Assignment& assignment) {
  absl::StatusOr<ir::Tensor> numbers = ir::Tensor::Allocate(ir::DType::kF32, shape);
  if (!numbers.ok()) return std::nullopt;
  const Along along = Along::Axis(shape, axis);
  auto* x = numbers->mutable_data<float>();
  for (int64_t o = 0; o < along.outer; ++o) {
    for (int64_t c = 0; c < along.n; ++c) {
      for (int64_t i = 0; i < along.inner; ++i) *x++ = static_cast<float>(c + 1);
    }
  }
  const absl::StatusOr<ir::Tensor> met = WhatWeightsMeet(site, product, *numbers, assignment);
  if (!met.ok() || met->size() == 0) return std::nullopt;
  const Along result = Along::Axis(met->shape(), product.result_axis);
  ChannelsMet found;
  found.channels.assign(static_cast<size_t>(site.point.value->constant()->size()), -1);
  found.results = found.channels;
  const int64_t channels = product.channels / product.groups;
  for (int64_t g = 0; g < product.groups; ++g) {
    for (int64_t j = 0; j < product.weights; ++j) {
      int channel = -1;
      for (int64_t row = 0; row < result.outer * result.inner; ++row) {
        const int64_t o = row / result.inner, i = row % result.inner;
        const int here = static_cast<int>(
            met->data<float>()[(o * result.n + g * product.weights + j) * result.inner + i]);
        found.padded = found.padded || here == 0;
        if (here == 0) continue;  // outside
        if (channel >= 0 && channel != here - 1) return std::nullopt;
        channel = here - 1;
      }
      if (channel < 0 && !all) return std::nullopt;
      for (int64_t c = 0; c < channels; ++c) {
        const auto element = static_cast<size_t>(product.Place(g, c, j));
        found.channels[element] = channel;
        found.results[element] = static_cast<int>(g * channels + c);
      }
    }
  }
  return found;
}

}  // namespace

std::optional<ChannelsMet> FindChannelsMet(const WeightSite& site,
                                           const std::vector<int64_t>& shape, int64_t axis,
                                           const solver::Assignment& assignment) {
  const absl::StatusOr<ProductShape> product = ShapeOf(site, assignment);
  if (!product.ok()) return std::nullopt;
  // Few positions tell as much as many, as long as every weight meets something. What is left over
  // when a size is divided stays: strides and padding may depend on it.
  constexpr int64_t kPeriod = 4;
  for (const int64_t most : {4, 8, 16}) {
    std::vector<int64_t> small = shape;
    for (size_t d = 0; d < small.size(); ++d) {
      if (static_cast<int64_t>(d) != axis) small[d] = std::min(small[d], most + small[d] % kPeriod);
    }
    if (small == shape) break;
    if (std::optional<ChannelsMet> met = Ask(site, *product, small, axis, false, assignment))
      return met;
  }
  return Ask(site, *product, shape, axis, true, assignment);
}

}  // namespace tessera::compression
