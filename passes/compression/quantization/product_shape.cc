#include "passes/compression/quantization/product_shape.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "passes/compression/quantization/rounding.h"
#include "passes/compression/traits/traits.h"
#include "targets/reference/run_operation.h"

namespace tessera::compression {

int64_t ProductShape::Place(int64_t g, int64_t c, int64_t j) const {
  const Along along = Along::Axis(dims, axis);
  const int64_t channel = g * (channels / groups) + c;
  const int64_t at = (j / along.inner * along.n + channel) * along.inner + j % along.inner;
  return places.data<int32_t>()[at];
}

absl::StatusOr<ir::Tensor> ReadThrough(const WeightSite& site, ir::Tensor constant,
                                       const solver::Assignment& assignment) {
  const auto data_of = [](const ir::Operation& op) {
    return static_cast<size_t>(TraitOf(op.info()).data);
  };
  std::vector<const ir::Operation*> chain;
  for (const ir::Value* value = site.op->operand(static_cast<size_t>(site.point.index));
       value != site.point.value; value = value->producer()->operand(data_of(*value->producer())))
    chain.push_back(value->producer());
  std::reverse(chain.begin(), chain.end());
  for (const ir::Operation* step : chain) {
    std::vector<const ir::Tensor*> operands;
    for (size_t i = 0; i < step->operands().size(); ++i) {
      const ir::Value* operand = step->operand(i);
      operands.push_back(i == data_of(*step)  ? &constant
                         : operand == nullptr ? nullptr
                                              : operand->constant());
      if (operand != nullptr && operands.back() == nullptr)
        return absl::UnimplementedError("constants that are computed");
    }
    absl::StatusOr<std::vector<ir::Tensor>> results =
        reference::RunOperation(*step, operands, assignment);
    if (!results.ok()) return results.status();
    constant = std::move((*results)[0]);
  }
  return constant;
}

absl::StatusOr<ProductShape> ShapeOf(const WeightSite& site, const solver::Assignment& assignment) {
  const ir::QuantizeTrait& trait = TraitOf(site.op->info());
  const ir::Tensor& constant = *site.point.value->constant();
  std::vector<int32_t> numbers(static_cast<size_t>(constant.size()));
  std::iota(numbers.begin(), numbers.end(), 0);
  absl::StatusOr<ir::Tensor> places = ReadThrough(
      site, ir::Tensor::Of<int32_t>(ir::DType::kI32, constant.shape(), numbers), assignment);
  if (!places.ok()) return places.status();
  ProductShape shape;
  shape.places = *std::move(places);
  shape.dims.assign(shape.places.shape().begin(), shape.places.shape().end());
  const auto rank = static_cast<int64_t>(shape.dims.size());
  shape.axis = trait.axis < 0 ? trait.axis + rank : trait.axis;
  shape.result_axis = trait.result_axis < 0 ? trait.result_axis + site.op->result()->type().rank()
                                            : trait.result_axis;
  const Along along = Along::Axis(shape.dims, shape.axis);
  shape.channels = along.n;
  shape.weights = along.outer * along.inner;
  if (trait.groups >= 0) {
    const auto* groups = std::get_if<int64_t>(&site.op->attr(static_cast<size_t>(trait.groups)));
    if (groups == nullptr || *groups < 1) return absl::UnimplementedError("groups are not known");
    shape.groups = *groups;
  }
  if (shape.channels == 0 || shape.weights == 0 || shape.channels % shape.groups != 0)
    return absl::UnimplementedError("no channels");
  return shape;
}

absl::StatusOr<ir::Tensor> WhatWeightsMeet(const WeightSite& site, const ProductShape& shape,
                                           const ir::Tensor& data,
                                           const solver::Assignment& assignment) {
  const ir::QuantizeTrait& trait = TraitOf(site.op->info());
  std::vector<int64_t> dims = shape.dims;
  dims[static_cast<size_t>(shape.axis)] = shape.groups * shape.weights;
  if (shape.groups * shape.weights * shape.weights * 4 > ProductShape::kMostBytes)
    return absl::ResourceExhaustedError("too many weights");
  absl::StatusOr<ir::Tensor> units = ir::Tensor::Allocate(ir::DType::kF32, dims);
  if (!units.ok()) return units.status();
  const Along along = Along::Axis(dims, shape.axis);
  auto* unit = units->mutable_data<float>();
  std::fill_n(unit, units->size(), 0.0f);
  for (int64_t channel = 0; channel < along.n; ++channel) {
    const int64_t j = channel % shape.weights;
    unit[(j / along.inner * along.n + channel) * along.inner + j % along.inner] = 1;
  }
  std::vector<const ir::Tensor*> operands(site.op->operands().size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const int at = static_cast<int>(i);
    if (at == trait.weight) operands[i] = &*units;
    if (at == trait.data) operands[i] = &data;
  }
  absl::StatusOr<std::vector<ir::Tensor>> met =
      reference::RunOperation(*site.op, operands, assignment, ProductShape::kMostBytes);
  if (!met.ok()) return met.status();
  const int64_t axis = shape.result_axis;
  if (axis >= (*met)[0].rank() || (*met)[0].shape()[static_cast<size_t>(axis)] != along.n)
    return absl::UnimplementedError("no product of that kind");
  return std::move((*met)[0]);
}

}  // namespace tessera::compression
