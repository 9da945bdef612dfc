#include "passes/compression/pruning/refit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "passes/compression/layerwise/layerwise.h"
#include "passes/compression/pruning/linear_fit.h"
#include "passes/compression/traits/traits.h"
#include "passes/compression/weights/matrix_walk.h"
#include "passes/compression/weights/weight_matrix.h"

namespace tessera::compression {
namespace {

using ir::Tensor;

constexpr int64_t kMostRows = 1024;  // positions of each sample that are looked at
constexpr int64_t kMostFeatures = 4096;
// Of the mean square of what is read: how far weights may move from what they were. The last hardly
// lets them, and leaves it to the terms.
constexpr double kDampings[] = {1e-3, 1e-2, 1e-1, 1, 1e4};

const Tensor& Of(absl::Span<const Tensor> values, size_t sample) {
  return values.size() == 1 ? values[0] : values[sample];
}

// Vectors along an axis, a row each, spread over all of them.
Matrix RowsAlong(const Tensor& tensor, int64_t axis) {
  const Along along = Along::Axis(tensor.shape(), axis);
  const int64_t all = along.outer * along.inner, rows = std::min(all, kMostRows);
  Matrix matrix(rows, along.n);
  const float* data = tensor.data<float>();
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t at = r * all / rows;
    const float* from = data + at / along.inner * along.n * along.inner + at % along.inner;
    for (int64_t k = 0; k < along.n; ++k) matrix(r, k) = from[k * along.inner];
  }
  return matrix;
}

class Refitter {
 public:
  explicit Refitter(const Removed& removed) : removed_(removed) {}

  absl::StatusOr<Constants> Run(const BuildContext& context,
                                const std::vector<WeightTarget>& targets,
                                const std::vector<BiasSite>& biases, size_t samples) {
    absl::StatusOr<Layerwise> pair = Layerwise::Create(context.graph, *context.samples, samples);
    if (!pair.ok()) return pair.status();
    pair_ = &*pair;
    for (const WeightTarget& target : targets) {
      if (!target.table) targets_[target.op] = &target;
    }
    for (const BiasSite& site : biases) biases_[site.product] = &site;
    const absl::Status status = pair->Run([&](const ir::Operation& op) {
      const auto pending = pending_.find(&op);
      if (pending != pending_.end()) {
        for (const auto& [value, tensor] : pending->second) pair_->Replace(*value, tensor);
      }
      const auto target = targets_.find(&op);
      if (target != targets_.end()) Product(*target->second);
    });
    if (!status.ok()) return status;
    return std::move(constants_);
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

  // What each weight of a row is multiplied by: the results of the product with rows that are each
  // one weight.
  std::optional<Tensor> Features(const WeightTarget& target, int64_t axis, size_t sample) const {
    const ir::QuantizeTrait& trait = TraitOf(target.op->info());
    const ir::Value& data = *target.op->operand(static_cast<size_t>(trait.data));
    if (target.matrix) return Of(pair_->Changed(data), sample);
    const Tensor& weight = *target.point.value->constant();
    const int64_t inputs = MatrixLayout(weight.shape(), axis).inputs();
    std::vector<int64_t> shape = weight.shape();
    shape[static_cast<size_t>(axis)] = inputs;
    Tensor each = *Tensor::Allocate(ir::DType::kF32, shape);
    auto* to = each.mutable_data<float>();
    std::fill(to, to + each.size(), 0.0f);
    const MatrixLayout layout(shape, axis);
    for (int64_t k = 0; k < inputs; ++k) to[layout.IndexOf(k, k)] = 1;
    std::vector<const Tensor*> operands(target.op->operands().size());
    operands[static_cast<size_t>(trait.data)] = &Of(pair_->Changed(data), sample);
    operands[static_cast<size_t>(trait.weight)] = &each;
    absl::StatusOr<std::vector<Tensor>> made = pair_->Rerun(*target.op, operands, sample);
    if (!made.ok()) return std::nullopt;
    return std::move((*made)[0]);
  }

  std::optional<Tensor> ExactResult(const WeightTarget& target, size_t sample) const {
    std::vector<const Tensor*> operands;
    for (const ir::Value* operand : target.op->operands())
      operands.push_back(operand == nullptr ? nullptr : &Of(pair_->Exact(*operand), sample));
    absl::StatusOr<std::vector<Tensor>> made = pair_->Rerun(*target.op, operands, sample);
    if (!made.ok()) return std::nullopt;
    return std::move((*made)[0]);
  }

  void Product(const WeightTarget& target) {
    const ir::QuantizeTrait& trait = TraitOf(target.op->info());
    const ir::Value& operand = *target.op->operand(static_cast<size_t>(target.operand));
    const auto site = biases_.find(target.op);
    const BiasSite* bias = site == biases_.end() ? nullptr : site->second;
    Matrix weights = WeightsOf(target);
    const bool has_term =
        bias != nullptr && bias->present != nullptr && bias->present->size() == weights.rows();
    std::vector<double> terms(static_cast<size_t>(weights.rows()));
    for (size_t r = 0; r < terms.size() && has_term; ++r)
      terms[r] = bias->present->AsDouble(static_cast<int64_t>(r));
    const std::vector<bool> kept = KeptInputs(target, weights.cols());
    const bool loses = std::find(kept.begin(), kept.end(), false) != kept.end();
    const bool follows = target.matrix || &operand == target.point.value;
    if (follows && (loses || started_))
      Fit(target, trait, has_term, has_term && bias->op == target.op, kept, weights, terms);
    Mask(target, kept, weights, terms);
    if (!follows) return;
    started_ = true;
    // From here on.
    const std::vector<int64_t> shape = pair_->Changed(operand)[0].shape();
    pair_->Replace(operand, Stored(weights, shape, target.matrix ? 1 : target.axis));
    const std::vector<int64_t>& own = target.point.value->constant()->shape();
    constants_[target.point.value] = Stored(weights, own, target.axis);
    if (!has_term) return;
    const std::vector<float> numbers(terms.begin(), terms.end());
    const Tensor tensor = Tensor::Of<float>(ir::DType::kF32, bias->present->shape(), numbers);
    constants_[bias->point.value] = tensor;
    if (bias->op == target.op) {
      pair_->Replace(*bias->point.value, tensor);
    } else {
      pending_[bias->op].emplace_back(bias->point.value, tensor);
    }
  }

  // `inside`: the operation itself adds the terms. Weights of what stays, and terms, by least
  // squares; left as they are where that cannot be.
  void Fit(const WeightTarget& target, const ir::QuantizeTrait& trait, bool has_term, bool inside,
           const std::vector<bool>& kept, Matrix& weights, std::vector<double>& terms) {
    const int64_t inputs = weights.cols(), rows = weights.rows();
    std::vector<int64_t> columns;
    for (int64_t k = 0; k < inputs; ++k) {
      if (kept[static_cast<size_t>(k)]) columns.push_back(k);
    }
    const auto features = static_cast<int64_t>(columns.size());
    if (features == 0 || inputs > kMostFeatures) return;
    // A last feature that is always 1, where a term can be.
    const int64_t size = features + (has_term ? 1 : 0);
    // Two halves: what one is fitted to, the other judges.
    LinearFit sums[2] = {LinearFit(rows, size), LinearFit(rows, size)};
    const int64_t rank = target.op->result()->type().rank();
    const int64_t axis = trait.result_axis < 0 ? trait.result_axis + rank : trait.result_axis;
    for (size_t s = 0; s < pair_->samples(); ++s) {
      const std::optional<Tensor> seen = Features(target, target.axis, s);
      const std::optional<Tensor> exact = ExactResult(target, s);
      if (!seen || !exact) return;
      const Matrix all = RowsAlong(*seen, target.matrix ? seen->rank() - 1 : axis);
      Matrix wanted = RowsAlong(*exact, axis);
      if (all.rows() != wanted.rows() || all.cols() != inputs || wanted.cols() != rows) return;
      if (!inside && has_term) {
        for (int64_t r = 0; r < rows; ++r) wanted.col(r).array() += terms[static_cast<size_t>(r)];
      }
      Matrix x(all.rows(), size);
      for (int64_t i = 0; i < features; ++i) x.col(i) = all.col(columns[static_cast<size_t>(i)]);
      if (has_term) x.col(features).setOnes();
      if (pair_->samples() > 1) {
        sums[s % 2].Add(x, wanted);
      } else {
        const int64_t half = x.rows() / 2;
        sums[0].Add(x.topRows(half), wanted.topRows(half));
        sums[1].Add(x.bottomRows(x.rows() - half), wanted.bottomRows(x.rows() - half));
      }
    }
    if (!IsLinear(target, trait, weights, terms, axis, inside)) return;
    Matrix prior(rows, size);
    for (int64_t i = 0; i < features; ++i)
      prior.col(i) = weights.col(columns[static_cast<size_t>(i)]);
    for (int64_t r = 0; r < rows && has_term; ++r)
      prior(r, features) = terms[static_cast<size_t>(r)];
    double best = kDampings[0], least = std::numeric_limits<double>::infinity();
    for (const double damping : kDampings) {
      const double error = sums[1].Error(sums[0].Fitted(prior, damping, features)) +
                           sums[0].Error(sums[1].Fitted(prior, damping, features));
      if (!(error < least)) continue;
      least = error;
      best = damping;
    }
    sums[0].Add(sums[1]);
    const Matrix fitted = sums[0].Fitted(prior, best, features);
    if (!fitted.allFinite()) return;
    for (int64_t i = 0; i < features; ++i)
      weights.col(columns[static_cast<size_t>(i)]) = fitted.col(i);
    for (int64_t r = 0; r < rows && has_term; ++r)
      terms[static_cast<size_t>(r)] = fitted(r, features);
  }

  // Whether the result is the weights times the features, on what the first sample has become.
  bool IsLinear(const WeightTarget& target, const ir::QuantizeTrait& trait, const Matrix& weights,
                const std::vector<double>& terms, int64_t axis, bool inside) const {
    if (target.matrix) return true;
    std::vector<const Tensor*> operands;
    for (const ir::Value* operand : target.op->operands())
      operands.push_back(operand == nullptr ? nullptr : &Of(pair_->Changed(*operand), 0));
    operands[static_cast<size_t>(trait.weight)] = target.point.value->constant();
    absl::StatusOr<std::vector<Tensor>> made = pair_->Rerun(*target.op, operands, 0);
    const std::optional<Tensor> seen = Features(target, target.axis, 0);
    if (!made.ok() || !seen) return false;
    Matrix expected = RowsAlong(*seen, axis) * weights.transpose();
    for (int64_t r = 0; r < weights.rows() && inside; ++r)
      expected.col(r).array() += terms[static_cast<size_t>(r)];
    const Matrix actual = RowsAlong((*made)[0], axis);
    if (expected.rows() != actual.rows() || expected.cols() != actual.cols()) return false;
    return (expected - actual).norm() <= 1e-3 * actual.norm();
  }

  void Mask(const WeightTarget& target, const std::vector<bool>& kept, Matrix& weights,
            std::vector<double>& terms) const {
    for (int64_t k = 0; k < weights.cols(); ++k) {
      if (!kept[static_cast<size_t>(k)]) weights.col(k).setZero();
    }
    const auto gone = removed_.find({target.point.value->id(), target.axis});
    if (gone == removed_.end()) return;
    for (const int64_t row : gone->second) {
      weights.row(row).setZero();
      terms[static_cast<size_t>(row)] = 0;
    }
  }

  static Tensor Stored(const Matrix& weights, absl::Span<const int64_t> shape, int64_t axis) {
    Tensor tensor = *Tensor::Allocate(ir::DType::kF32, {shape.begin(), shape.end()});
    const MatrixLayout layout(shape, axis);
    auto* to = tensor.mutable_data<float>();
    for (int64_t r = 0; r < layout.rows(); ++r) {
      for (int64_t k = 0; k < layout.inputs(); ++k)
        to[layout.IndexOf(r, k)] = static_cast<float>(weights(r, k));
    }
    return tensor;
  }

  const Removed& removed_;
  Layerwise* pair_ = nullptr;
  std::map<const ir::Operation*, const WeightTarget*> targets_;
  std::map<const ir::Operation*, const BiasSite*> biases_;  // by product
  std::map<const ir::Operation*, std::vector<std::pair<const ir::Value*, Tensor>>> pending_;
  bool started_ = false;  // something has changed before
  Constants constants_;
};

}  // namespace

absl::StatusOr<Constants> Refit(const BuildContext& context,
                                const std::vector<WeightTarget>& targets,
                                const std::vector<BiasSite>& biases, const Removed& removed,
                                size_t samples) {
  return Refitter(removed).Run(context, targets, biases, samples);
}

}  // namespace tessera::compression
