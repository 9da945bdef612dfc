#include "passes/compression/pruning/multiply_adds.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "passes/compression/traits/traits.h"
#include "targets/reference/bind_symbols.h"
#include "targets/reference/run_operation.h"

namespace tessera::compression {
namespace {

using solver::Assignment;

// Inputs of those sizes; without samples, where only the first axis is open, with 1 there.
absl::StatusOr<Assignment> Sizes(const BuildContext& context) {
  std::vector<ir::Tensor> inputs;
  if (context.samples != nullptr && context.samples->size() > 0) {
    absl::StatusOr<std::vector<ir::Tensor>> loaded = context.samples->Load(0);
    if (!loaded.ok()) return loaded.status();
    inputs = *std::move(loaded);
  } else {
    for (const ir::Value* input : context.graph.inputs()) {
      std::vector<int64_t> shape;
      for (const solver::Expr& dim : input->type().dims) {
        const std::optional<int64_t> size = dim.Constant();
        if (!size && !shape.empty())
          return absl::FailedPreconditionError(
              absl::StrCat("multiply-adds cannot be counted without samples: axis ", shape.size(),
                           " of an input has the size `", dim.ToString(), "`"));
        shape.push_back(size.value_or(1));
      }
      absl::StatusOr<ir::Tensor> input_tensor =
          ir::Tensor::Allocate(input->type().dtype, std::move(shape));
      if (!input_tensor.ok()) return input_tensor.status();
      inputs.push_back(*std::move(input_tensor));
    }
  }
  return reference::BindSymbols(context.graph, inputs);
}

// Elements for each entry of an axis (of the last but one without `axis`).
double PerEntry(const std::vector<int64_t>& shape, int64_t axis) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (axis < 0) axis += rank;
  double count = 1;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != axis) count *= static_cast<double>(shape[static_cast<size_t>(d)]);
  }
  return count;
}

}  // namespace

absl::StatusOr<MultiplyAdds> MultiplyAdds::Create(const BuildContext& context,
                                                  const std::vector<WeightSite>& products) {
  const absl::StatusOr<Assignment> sizes = Sizes(context);
  if (!sizes.ok()) return sizes.status();
  MultiplyAdds counted;
  for (const WeightSite& site : products) {
    const ir::QuantizeTrait& trait = TraitOf(site.op->info());
    const bool left = site.axis < 0 && site.point.index == trait.data;
    const ir::Value& other =
        *site.op->operand(static_cast<size_t>(left ? trait.weight : trait.data));
    const absl::StatusOr<std::vector<int64_t>> made =
        reference::DimsOf(site.op->result()->type(), *sizes);
    if (!made.ok()) return made.status();
    const absl::StatusOr<std::vector<int64_t>> read = reference::DimsOf(other.type(), *sizes);
    if (!read.ok()) return read.status();
    // Of a constant on the left, channels are the last axis but one of both.
    const int64_t axis = left ? -2 : trait.result_axis;
    const double positions = std::min(PerEntry(*made, axis), PerEntry(*read, axis));
    counted.products_.push_back({site.point.value, positions});
  }
  return counted;
}

double MultiplyAdds::Without(const Removed& removed) const {
  double sum = 0;
  for (const Product& product : products_) {
    double count = product.positions;
    const std::vector<int64_t>& shape = product.weights->constant()->shape();
    for (size_t d = 0; d < shape.size(); ++d) {
      const auto gone = removed.find({product.weights->id(), static_cast<int64_t>(d)});
      count *= static_cast<double>(
          shape[d] - (gone == removed.end() ? 0 : static_cast<int64_t>(gone->second.size())));
    }
    sum += count;
  }
  return sum;
}

}  // namespace tessera::compression
