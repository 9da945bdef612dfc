#include "passes/compression/quantization/product_weights.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "passes/compression/quantization/rounding.h"
#include "passes/compression/quantization/weight_problem.h"
#include "passes/compression/traits/traits.h"
#include "targets/reference/run_operation.h"

namespace tessera::compression {
namespace {

// Of what one sample's rows may take, and how many rows there should be for each weight.
constexpr int64_t kMostBytes = int64_t{512} << 20;
constexpr int64_t kRowsPerWeight = 8, kLeastRows = 8192;

class Product {
 public:
  Product(const WeightSite& site, SideBySide& sides)
      : op_(*site.op), site_(site), sides_(sides), trait_(TraitOf(op_.info())) {}

  // False: it cannot be done.
  bool Prepare() {
    const ir::Value& weight = *op_.operand(static_cast<size_t>(trait_.weight));
    const absl::StatusOr<ir::Tensor> shape = Arranged();
    if (!shape.ok()) return false;
    places_ = *shape;
    dims_ = places_.shape();
    axis_ = trait_.axis < 0 ? trait_.axis + weight.type().rank() : trait_.axis;
    result_axis_ = trait_.result_axis < 0 ? trait_.result_axis + op_.result()->type().rank()
                                          : trait_.result_axis;
    const Along along = Along::Axis(dims_, axis_);
    channels_ = along.n;
    if (channels_ == 0 || along.outer * along.inner == 0) return false;
    weights_ = along.outer * along.inner;
    groups_ = 1;
    if (trait_.groups >= 0) {
      const auto* groups = std::get_if<int64_t>(&op_.attr(static_cast<size_t>(trait_.groups)));
      if (groups == nullptr || *groups < 1) return false;
      groups_ = *groups;
    }
    const ir::Tensor& result = *sides_.lanes()[0].exact[static_cast<size_t>(op_.result()->id())];
    const Along results = Along::Axis(result.shape(), result_axis_);
    rows_ = results.outer * results.inner;
    return channels_ % groups_ == 0 && results.n == channels_ && rows_ > 0 &&
           weights_ <= WeightProblem::kMost && groups_ * weights_ * weights_ * 4 <= kMostBytes &&
           rows_ * groups_ * weights_ * 4 <= kMostBytes;
  }

  absl::StatusOr<bool> Choose(bool centered, const WeightScheme& scheme, QuantizedWeight& weight) {
    std::vector<WeightProblem> problems;
    for (int64_t g = 0; g < groups_; ++g)
      problems.emplace_back(weights_, channels_ / groups_, centered);
    if (absl::Status status = Gather(problems); !status.ok()) {
      // What it is not made for, it refuses.
      return false;
    }
    const Along along = Along::Axis(dims_, axis_);
    const ir::Tensor& constant = *site_.point.value->constant();
    const int64_t channels = channels_ / groups_;
    std::vector<int32_t> codes(static_cast<size_t>(constant.size()));
    std::vector<float> scales;
    std::vector<int32_t> zeros;
    for (int64_t g = 0; g < groups_; ++g) {
      std::vector<float> w(static_cast<size_t>(channels * weights_));
      const auto each = [&](const auto& f) {
        for (int64_t c = 0; c < channels; ++c) {
          for (int64_t j = 0; j < weights_; ++j) {
            const int64_t o = j / along.inner, i = j % along.inner;
            const int64_t at = (o * along.n + g * channels + c) * along.inner + i;
            f(static_cast<size_t>(c * weights_ + j),
              static_cast<size_t>(places_.data<int32_t>()[at]));
          }
        }
      };
      each([&](size_t here, size_t there) { w[here] = constant.data<float>()[there]; });
      const WeightProblem::Solution solution = problems[static_cast<size_t>(g)].Solve(
          w, scheme, scheme.axis < 0 ? &weight.grid : nullptr);
      each([&](size_t here, size_t there) { codes[there] = solution.codes[here]; });
      scales.insert(scales.end(), solution.scales.begin(), solution.scales.end());
      zeros.insert(zeros.end(), solution.zeros.begin(), solution.zeros.end());
    }
    weight.codes = ir::Tensor::Of<int32_t>(ir::DType::kI32, constant.shape(), codes);
    if (scheme.axis >= 0) {
      weight.grid.scale = ir::Tensor::Of<float>(ir::DType::kF32, {channels_}, scales);
      weight.grid.zero_point = ir::Tensor::Of<int32_t>(ir::DType::kI32, {channels_}, zeros);
    }
    return Show(NumbersOf(weight.codes, weight.grid));
  }

 private:
  // Of each element of the operand, which one of the constant it is.
  absl::StatusOr<ir::Tensor> Arranged() {
    std::vector<int32_t> numbers(static_cast<size_t>(site_.point.value->constant()->size()));
    std::iota(numbers.begin(), numbers.end(), 0);
    return Through(
        ir::Tensor::Of<int32_t>(ir::DType::kI32, site_.point.value->constant()->shape(), numbers));
  }

  // What the operation reads where the constant is this.
  absl::StatusOr<ir::Tensor> Through(ir::Tensor tensor) {
    std::vector<const ir::Operation*> chain;
    for (const ir::Value* value = op_.operand(static_cast<size_t>(trait_.weight));
         value != site_.point.value; value = value->producer()->operand(static_cast<size_t>(
                                         TraitOf(value->producer()->info()).data)))
      chain.push_back(value->producer());
    std::reverse(chain.begin(), chain.end());
    SideBySide::Lane& lane = sides_.lanes()[0];
    for (const ir::Operation* step : chain) {
      std::vector<const ir::Tensor*> operands;
      const auto data = static_cast<size_t>(TraitOf(step->info()).data);
      for (size_t i = 0; i < step->operands().size(); ++i) {
        const ir::Value* operand = step->operand(i);
        operands.push_back(i == data            ? &tensor
                           : operand == nullptr ? nullptr
                                                : operand->constant());
        if (operand != nullptr && operands.back() == nullptr)
          return absl::UnimplementedError("constants that are computed");
      }
      absl::StatusOr<std::vector<ir::Tensor>> results =
          reference::RunOperation(*step, operands, lane.assignment);
      if (!results.ok()) return results.status();
      tensor = std::move((*results)[0]);
    }
    return tensor;
  }

  // The rounded network has them from here on.
  absl::StatusOr<bool> Show(const ir::Tensor& numbers) {
    const absl::StatusOr<ir::Tensor> operand = Through(numbers);
    if (!operand.ok()) return operand.status();
    sides_.Replace(*op_.operand(static_cast<size_t>(trait_.weight)), *operand);
    return true;
  }

  absl::Status Gather(std::vector<WeightProblem>& problems) {
    std::vector<int64_t> unit_dims = dims_;
    unit_dims[static_cast<size_t>(axis_)] = groups_ * weights_;
    absl::StatusOr<ir::Tensor> units = ir::Tensor::Allocate(ir::DType::kF32, unit_dims);
    if (!units.ok()) return units.status();
    const Along along = Along::Axis(unit_dims, axis_);
    auto* unit = units->mutable_data<float>();
    std::fill_n(unit, units->size(), 0.0f);
    for (int64_t channel = 0; channel < along.n; ++channel) {
      const int64_t j = channel % weights_;
      unit[(j / along.inner * along.n + channel) * along.inner + j % along.inner] = 1;
    }
    std::vector<SideBySide::Lane>& lanes = sides_.lanes();
    const int64_t wanted = std::max(kRowsPerWeight * weights_, kLeastRows);
    const size_t least = std::min<size_t>(lanes.size(), 16);
    const size_t used =
        std::min(lanes.size(), std::max(least, static_cast<size_t>((wanted + rows_ - 1) / rows_)));
    for (size_t l = 0; l < used; ++l) {
      if (absl::Status status =
              GatherFrom(lanes[l * lanes.size() / used], *units,
                         wanted / static_cast<int64_t>(used), l % 2 == 1, problems);
          !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  absl::Status GatherFrom(SideBySide::Lane& lane, const ir::Tensor& units, int64_t wanted,
                          bool judge, std::vector<WeightProblem>& problems) {
    std::vector<const ir::Tensor*> operands(op_.operands().size());
    for (size_t i = 0; i < operands.size(); ++i) {
      const int at = static_cast<int>(i);
      if (at == trait_.weight) {
        operands[i] = &units;
      } else if (at != trait_.bias && op_.operand(i) != nullptr) {
        operands[i] = &sides_.Read(op_, i, lane);
      }
    }
    const absl::StatusOr<std::vector<ir::Tensor>> made =
        reference::RunOperation(op_, operands, lane.assignment, kMostBytes);
    if (!made.ok()) return made.status();
    const ir::Tensor& met = (*made)[0];
    const ir::Tensor& exact = *lane.exact[static_cast<size_t>(op_.result()->id())];
    const Along along = Along::Axis(met.shape(), result_axis_);
    const Along results = Along::Axis(exact.shape(), result_axis_);
    if (along.n != groups_ * weights_ || along.outer != results.outer ||
        along.inner != results.inner)
      return absl::UnimplementedError("no product of that kind");
    const int64_t rows = along.outer * along.inner;
    const int64_t stride = std::max<int64_t>(1, rows / std::max<int64_t>(1, wanted));
    const int64_t channels = channels_ / groups_;
    std::vector<float> x, y;
    for (int64_t g = 0; g < groups_; ++g) {
      x.clear();
      y.clear();
      int64_t taken = 0;
      for (int64_t row = 0; row < rows; row += stride, ++taken) {
        const int64_t o = row / along.inner, i = row % along.inner;
        for (int64_t j = 0; j < weights_; ++j)
          x.push_back(met.data<float>()[(o * along.n + g * weights_ + j) * along.inner + i]);
        for (int64_t c = 0; c < channels; ++c)
          y.push_back(exact.data<float>()[(o * channels_ + g * channels + c) * along.inner + i]);
      }
      problems[static_cast<size_t>(g)].Add(x, y, taken, judge);
    }
    return absl::OkStatus();
  }

  const ir::Operation& op_;
  const WeightSite& site_;
  SideBySide& sides_;
  const ir::QuantizeTrait& trait_;
  ir::Tensor places_;
  std::vector<int64_t> dims_;  // of the operand
  int64_t axis_ = 0, result_axis_ = 0, channels_ = 0, weights_ = 0, groups_ = 1, rows_ = 0;
};

}  // namespace

absl::StatusOr<bool> ChooseByResults(const WeightSite& site, bool centered,
                                     const WeightScheme& scheme, SideBySide& sides,
                                     QuantizedWeight& weight) {
  Product product(site, sides);
  if (!product.Prepare()) return false;
  return product.Choose(centered, scheme, weight);
}

}  // namespace tessera::compression
