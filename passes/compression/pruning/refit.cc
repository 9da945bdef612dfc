#include "passes/compression/pruning/refit.h"

#include <algorithm>
#include <map>
#include <utility>

#include "passes/compression/layerwise/layerwise.h"
#include "passes/compression/pruning/product_fit.h"
#include "passes/compression/traits/traits.h"
#include "passes/compression/weights/matrix_walk.h"
#include "passes/compression/weights/weight_matrix.h"

namespace tessera::compression {
namespace {

using ir::Tensor;

// Of what is computed for all samples at once. Late layers have few positions in each of them, and
// more weights than anything else.
constexpr int64_t kMostBytes = int64_t{1} << 30;

class Refitter {
 public:
  Refitter(const Removed& removed, const RefitOptions& options)
      : removed_(removed), options_(options) {}

  absl::StatusOr<FittedConstants> Run(const BuildContext& context,
                                      const std::vector<WeightTarget>& targets,
                                      const std::vector<BiasSite>& biases) {
    absl::StatusOr<Layerwise> pair =
        Layerwise::Create(context.graph, *context.samples, options_.samples, kMostBytes);
    if (!pair.ok()) return pair.status();
    pair_ = &*pair;
    for (const WeightTarget& target : targets) {
      if (!target.table) targets_[target.op] = &target;
    }
    for (const BiasSite& site : biases) biases_[site.product] = &site;
    const absl::Status status = pair->Run([&](const ir::Operation& op) {
      const auto target = targets_.find(&op);
      if (target != targets_.end()) Product(*target->second);
    });
    if (!status.ok()) return status;
    return std::move(fitted_);
  }

 private:
  // Whether each of a row's weights stays.
  std::vector<bool> KeptInputs(const WeightTarget& target, int64_t inputs) const {
    const ir::Value& constant = *target.point.value;
    const std::vector<int64_t>& shape = constant.constant()->shape();
    const MatrixLayout layout(shape, target.axis);
    std::vector<bool> kept(static_cast<size_t>(inputs), true);
    for (int64_t k = 0; k < inputs; ++k) {
      int64_t rest = layout.IndexOf(0, k);
      for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
        const auto axis = static_cast<int64_t>(d);
        const auto gone = removed_.find({constant.id(), axis});
        if (axis != target.axis && gone != removed_.end() && gone->second.contains(rest % shape[d]))
          kept[static_cast<size_t>(k)] = false;
      }
    }
    return kept;
  }

  void Product(const WeightTarget& target) {
    const ir::Value& operand = *target.op->operand(static_cast<size_t>(target.operand));
    const auto site = biases_.find(target.op);
    const BiasSite* bias = site == biases_.end() ? nullptr : site->second;
    ProductFit::State state;
    state.target = &target;
    state.weights = WeightsOf(target);
    state.terms.resize(static_cast<size_t>(state.weights.rows()));
    const Tensor* present = bias == nullptr ? nullptr : bias->present;
    state.has_term =
        bias != nullptr && (present == nullptr || present->size() == state.weights.rows());
    state.end = bias == nullptr ? target.op : bias->op;
    state.inside = state.has_term && bias->op == target.op;
    for (size_t r = 0; r < state.terms.size() && state.has_term && present != nullptr; ++r)
      state.terms[r] = present->AsDouble(static_cast<int64_t>(r));
    state.kept = KeptInputs(target, state.weights.cols());
    state.kept_rows.assign(state.terms.size(), true);
    const auto gone = removed_.find({target.point.value->id(), target.axis});
    if (gone != removed_.end()) {
      for (const int64_t row : gone->second) state.kept_rows[static_cast<size_t>(row)] = false;
    }
    const bool loses = std::find(state.kept.begin(), state.kept.end(), false) != state.kept.end();
    for (int64_t k = 0; k < state.weights.cols(); ++k) {
      if (!state.kept[static_cast<size_t>(k)]) state.weights.col(k).setZero();
    }
    // Else its own node reorders the constant, and what is seen there says nothing of this one.
    const bool follows = target.matrix || &operand == target.point.value;
    bool chosen = false;
    if (follows && (loses || started_)) {
      ProductFit fit(*pair_, state);
      // Among products that come as near as they can, one that varies as much as it did takes what
      // is wrong with its inputs for more than it is: measured worse than as it stands.
      chosen = (options_.weights && fit.FitTogether()) ||
               (options_.statistics && (loses || !options_.weights) && fit.MatchMoments());
    }
    MaskRows(state);
    if (!follows) return;
    started_ = true;
    // From here on.
    const std::vector<int64_t> shape = pair_->Changed(operand)[0].shape();
    pair_->Replace(operand,
                   ProductFit::Stored(state.weights, shape, target.matrix ? 1 : target.axis));
    fitted_.constants[target.point.value] =
        ProductFit::Stored(state.weights, target.point.value->constant()->shape(), target.axis);
    if (state.has_term && (present != nullptr || chosen)) Terms(target, *bias, state.terms);
  }

  static void MaskRows(ProductFit::State& state) {
    for (size_t row = 0; row < state.kept_rows.size(); ++row) {
      if (state.kept_rows[row]) continue;
      state.weights.row(static_cast<int64_t>(row)).setZero();
      state.terms[row] = 0;
    }
  }

  // Several nodes may read one constant as their bias: each gets numbers of its own.
  void Terms(const WeightTarget& target, const BiasSite& bias, const std::vector<double>& terms) {
    const std::vector<float> numbers(terms.begin(), terms.end());
    const auto index = static_cast<size_t>(bias.point.index);
    const std::vector<int64_t> flat = {static_cast<int64_t>(numbers.size())};
    // A constant that an addition behind the product reads may not be computed yet.
    std::vector<int64_t> shape = flat;
    if (const ir::Value* read = bias.op->operand(index); read != nullptr) {
      shape.clear();
      for (const solver::Expr& dim : read->type().dims)
        shape.push_back(dim.Constant().value_or(-1));
    }
    pair_->Supply(*bias.op, index, Tensor::Of<float>(ir::DType::kF32, shape, numbers));
    if (bias.present == nullptr) {
      Tensor tensor = Tensor::Of<float>(ir::DType::kF32, flat, numbers);
      const auto gone = removed_.find({target.point.value->id(), target.axis});
      if (gone != removed_.end()) tensor = Without(tensor, 0, gone->second);
      fitted_.terms.emplace_back(bias.point, std::move(tensor));
      return;
    }
    fitted_.terms.emplace_back(
        bias.point,
        WithoutRemoved(*bias.point.value,
                       Tensor::Of<float>(ir::DType::kF32, bias.present->shape(), numbers),
                       removed_));
  }

  const Removed& removed_;
  const RefitOptions& options_;
  Layerwise* pair_ = nullptr;
  std::map<const ir::Operation*, const WeightTarget*> targets_;
  std::map<const ir::Operation*, const BiasSite*> biases_;  // by product
  bool started_ = false;                                    // something has changed before
  FittedConstants fitted_;
};

}  // namespace

absl::StatusOr<FittedConstants> Refit(const BuildContext& context,
                                      const std::vector<WeightTarget>& targets,
                                      const std::vector<BiasSite>& biases, const Removed& removed,
                                      const RefitOptions& options) {
  return Refitter(removed, options).Run(context, targets, biases);
}

}  // namespace tessera::compression
