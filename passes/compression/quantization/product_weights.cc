#include "passes/compression/quantization/product_weights.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "passes/compression/quantization/product_shape.h"
#include "passes/compression/quantization/rounding.h"
#include "passes/compression/quantization/weight_problem.h"
#include "passes/compression/traits/traits.h"

namespace tessera::compression {
namespace {

// How many rows there should be for each weight, and how many samples they come from.
constexpr int64_t kRowsPerWeight = 8, kLeastRows = 8192;
constexpr size_t kFewestSamples = 16;

const ir::Tensor& Exact(const WeightSite& site, const SideBySide::Lane& lane) {
  return *lane.exact[static_cast<size_t>(site.op->result()->id())];
}

// The rows of one sample, about `wanted` of them.
absl::Status GatherFrom(const WeightSite& site, const ProductShape& shape, SideBySide& sides,
                        SideBySide::Lane& lane, int64_t wanted, bool judge,
                        std::vector<WeightProblem>& problems) {
  const auto data = static_cast<size_t>(TraitOf(site.op->info()).data);
  const absl::StatusOr<ir::Tensor> met =
      WhatWeightsMeet(site, shape, sides.Read(*site.op, data, lane), lane.assignment);
  if (!met.ok()) return met.status();
  const ir::Tensor& exact = Exact(site, lane);
  const Along along = Along::Axis(met->shape(), shape.result_axis);
  const Along results = Along::Axis(exact.shape(), shape.result_axis);
  if (along.outer != results.outer || along.inner != results.inner)
    return absl::UnimplementedError("no product of that kind");
  const int64_t rows = along.outer * along.inner;
  const int64_t stride = std::max<int64_t>(1, rows / std::max<int64_t>(1, wanted));
  const int64_t channels = shape.channels / shape.groups;
  std::vector<float> x, y;
  for (int64_t g = 0; g < shape.groups; ++g) {
    x.clear();
    y.clear();
    int64_t taken = 0;
    for (int64_t row = 0; row < rows; row += stride, ++taken) {
      const int64_t o = row / along.inner, i = row % along.inner;
      for (int64_t j = 0; j < shape.weights; ++j)
        x.push_back(met->data<float>()[(o * along.n + g * shape.weights + j) * along.inner + i]);
      for (int64_t c = 0; c < channels; ++c)
        y.push_back(exact.data<float>()[(o * shape.channels + g * channels + c) * along.inner + i]);
    }
    problems[static_cast<size_t>(g)].Add(x, y, taken, judge);
  }
  return absl::OkStatus();
}

absl::Status Gather(const WeightSite& site, const ProductShape& shape, int64_t rows,
                    SideBySide& sides, std::vector<WeightProblem>& problems) {
  std::vector<SideBySide::Lane>& lanes = sides.lanes();
  const int64_t wanted = std::max(kRowsPerWeight * shape.weights, kLeastRows);
  const size_t least = std::min(lanes.size(), kFewestSamples);
  const size_t used =
      std::min(lanes.size(), std::max(least, static_cast<size_t>((wanted + rows - 1) / rows)));
  for (size_t l = 0; l < used; ++l) {
    const absl::Status status =
        GatherFrom(site, shape, sides, lanes[l * lanes.size() / used],
                   wanted / static_cast<int64_t>(used), l % 2 == 1, problems);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> ChooseByResults(const WeightSite& site, bool centered,
                                     const WeightScheme& scheme, SideBySide& sides,
                                     QuantizedWeight& weight) {
  const solver::Assignment& assignment = sides.lanes()[0].assignment;
  const absl::StatusOr<ProductShape> found = ShapeOf(site, assignment);
  if (!found.ok()) return false;
  const ProductShape& shape = *found;
  const Along results = Along::Axis(Exact(site, sides.lanes()[0]).shape(), shape.result_axis);
  const int64_t rows = results.outer * results.inner;
  if (results.n != shape.channels || rows == 0 || shape.weights > WeightProblem::kMost ||
      rows * shape.groups * shape.weights * 4 > ProductShape::kMostBytes)
    return false;
  const int64_t channels = shape.channels / shape.groups;
  std::vector<WeightProblem> problems;
  for (int64_t g = 0; g < shape.groups; ++g)
    problems.emplace_back(shape.weights, channels, centered);
  // What it is not made for, it refuses.
  if (!Gather(site, shape, rows, sides, problems).ok()) return false;
  const ir::Tensor& constant = *site.point.value->constant();
  std::vector<int32_t> codes(static_cast<size_t>(constant.size())), zeros;
  std::vector<float> scales;
  for (int64_t g = 0; g < shape.groups; ++g) {
    std::vector<float> w(static_cast<size_t>(channels * shape.weights));
    const auto each = [&](const auto& f) {
      for (int64_t c = 0; c < channels; ++c) {
        for (int64_t j = 0; j < shape.weights; ++j)
          f(static_cast<size_t>(c * shape.weights + j), static_cast<size_t>(shape.Place(g, c, j)));
      }
    };
    each([&](size_t here, size_t there) { w[here] = constant.data<float>()[there]; });
    const WeightProblem::Solution solution =
        problems[static_cast<size_t>(g)].Solve(w, scheme, scheme.axis < 0 ? &weight.grid : nullptr);
    each([&](size_t here, size_t there) { codes[there] = solution.codes[here]; });
    scales.insert(scales.end(), solution.scales.begin(), solution.scales.end());
    zeros.insert(zeros.end(), solution.zeros.begin(), solution.zeros.end());
  }
  QuantizedWeight chosen = weight;
  chosen.codes = ir::Tensor::Of<int32_t>(ir::DType::kI32, constant.shape(), codes);
  if (scheme.axis >= 0) {
    chosen.grid.scale = ir::Tensor::Of<float>(ir::DType::kF32, {shape.channels}, scales);
    chosen.grid.zero_point = ir::Tensor::Of<int32_t>(ir::DType::kI32, {shape.channels}, zeros);
  }
  // The operation has them in the rounded network.
  absl::StatusOr<ir::Tensor> numbers =
      ReadThrough(site, NumbersOf(chosen.codes, chosen.grid), assignment);
  if (!numbers.ok()) return numbers.status();
  sides.Supply(*site.op, site.point.index, *std::move(numbers));
  weight = std::move(chosen);
  return true;
}

}  // namespace tessera::compression
