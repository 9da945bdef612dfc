#include "passes/compression/pruning/product_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "passes/compression/pruning/channel_moments.h"
#include "passes/compression/pruning/linear_fit.h"
#include "passes/compression/weights/weight_matrix.h"

namespace tessera::compression {
namespace {

using ir::Tensor;

constexpr int64_t kMostRows = 1024;      // positions of each sample that are looked at
constexpr int64_t kMostFeatures = 4096;  // of sums over more observations, and of convolutions
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

// Two halves of what is seen: what one is fitted to, the other judges.
struct Halves {
  Halves(int64_t results, int64_t features)
      : sums{LinearFit(results, features), LinearFit(results, features)} {}

  void Add(const Matrix& x, const Matrix& y, size_t sample, size_t samples) {
    if (samples > 1) return sums[sample % 2].Add(x, y);
    const int64_t half = x.rows() / 2;
    sums[0].Add(x.topRows(half), y.topRows(half));
    sums[1].Add(x.bottomRows(x.rows() - half), y.bottomRows(x.rows() - half));
  }

  // With the damping with which either half errs least on the other.
  Matrix Fitted(const Matrix& prior, int64_t damped) const {
    double best = kDampings[0], least = std::numeric_limits<double>::infinity();
    for (const double damping : kDampings) {
      const double error = sums[1].Error(sums[0].Fitted(prior, damping, damped)) +
                           sums[0].Error(sums[1].Fitted(prior, damping, damped));
      if (!(error < least)) continue;
      least = error;
      best = damping;
    }
    LinearFit both = sums[0];
    both.Add(sums[1]);
    return both.Fitted(prior, best, damped);
  }

  LinearFit sums[2];
};

}  // namespace

ProductFit::ProductFit(const Layerwise& pair, State& state)
    : pair_(pair), state_(state), trait_(TraitOf(state.target->op->info())) {
  const int64_t rank = op().result()->type().rank();
  axis_ = trait_.result_axis < 0 ? trait_.result_axis + rank : trait_.result_axis;
  shape_ = pair_.Changed(*op().operand(static_cast<size_t>(trait_.weight)))[0].shape();
  weight_axis_ = state_.target->matrix ? 1 : state_.target->axis;
}

Tensor ProductFit::Stored(const Matrix& weights, absl::Span<const int64_t> shape, int64_t axis) {
  Tensor tensor = *Tensor::Allocate(ir::DType::kF32, {shape.begin(), shape.end()});
  const MatrixLayout layout(shape, axis);
  auto* to = tensor.mutable_data<float>();
  for (int64_t r = 0; r < layout.rows(); ++r) {
    for (int64_t k = 0; k < layout.inputs(); ++k)
      to[layout.IndexOf(r, k)] = static_cast<float>(weights(r, k));
  }
  return tensor;
}

std::optional<Tensor> ProductFit::Exact(size_t sample) const {
  std::vector<const Tensor*> operands;
  for (const ir::Value* operand : op().operands())
    operands.push_back(operand == nullptr ? nullptr : &Of(pair_.Exact(*operand), sample));
  absl::StatusOr<std::vector<Tensor>> made = pair_.Rerun(op(), operands, sample);
  if (!made.ok()) return std::nullopt;
  return std::move((*made)[0]);
}

std::optional<Tensor> ProductFit::Changed(const Tensor& weights, bool with_term,
                                          size_t sample) const {
  std::vector<const Tensor*> operands;
  for (size_t i = 0; i < op().operands().size(); ++i) {
    const ir::Value* operand = op().operand(i);
    const bool left_out = operand == nullptr ||
                          (!with_term && static_cast<int>(i) == trait_.bias && trait_.bias >= 0);
    operands.push_back(left_out ? nullptr : &Of(pair_.Changed(*operand), sample));
  }
  operands[static_cast<size_t>(trait_.weight)] = &weights;
  absl::StatusOr<std::vector<Tensor>> made = pair_.Rerun(op(), operands, sample);
  if (!made.ok()) return std::nullopt;
  return std::move((*made)[0]);
}

std::optional<Matrix> ProductFit::Wanted(size_t sample) const {
  const std::optional<Tensor> exact = Exact(sample);
  if (!exact) return std::nullopt;
  Matrix wanted = RowsAlong(*exact, axis_);
  if (wanted.cols() != state_.weights.rows()) return std::nullopt;
  if (!state_.inside && state_.has_term) {
    for (int64_t r = 0; r < wanted.cols(); ++r)
      wanted.col(r).array() += state_.terms[static_cast<size_t>(r)];
  }
  return wanted;
}

std::vector<int64_t> ProductFit::KeptColumns() const {
  std::vector<int64_t> columns;
  for (size_t k = 0; k < state_.kept.size(); ++k) {
    if (state_.kept[k]) columns.push_back(static_cast<int64_t>(k));
  }
  return columns;
}

// What the weights of these columns are multiplied by: the results of the product with rows that
// are each one weight.
std::optional<Matrix> ProductFit::Inputs(const std::vector<int64_t>& columns, size_t sample) const {
  const auto features = static_cast<int64_t>(columns.size());
  if (state_.target->matrix) {
    const Tensor& data = Of(pair_.Changed(*op().operand(static_cast<size_t>(trait_.data))), sample);
    const Matrix all = RowsAlong(data, data.rank() - 1);
    if (all.cols() != state_.weights.cols()) return std::nullopt;
    Matrix some(all.rows(), features);
    for (int64_t i = 0; i < features; ++i) some.col(i) = all.col(columns[static_cast<size_t>(i)]);
    return some;
  }
  std::vector<int64_t> shape = shape_;
  shape[static_cast<size_t>(weight_axis_)] = features;
  Matrix each = Matrix::Zero(features, state_.weights.cols());
  for (int64_t i = 0; i < features; ++i) each(i, columns[static_cast<size_t>(i)]) = 1;
  const std::optional<Tensor> seen = Changed(Stored(each, shape, weight_axis_), false, sample);
  if (!seen || seen->shape()[static_cast<size_t>(axis_)] != features) return std::nullopt;
  return RowsAlong(*seen, axis_);
}

// Whether the product with these weights, without terms, yields that on the first sample: an
// operation that is not linear in its weights does not.
bool ProductFit::Yields(const Matrix& expected) const {
  const std::optional<Tensor> made =
      Changed(Stored(state_.weights, shape_, weight_axis_), false, 0);
  if (!made) return false;
  const Matrix actual = RowsAlong(*made, axis_);
  if (expected.rows() != actual.rows() || expected.cols() != actual.cols()) return false;
  return (expected - actual).norm() <= 1e-3 * actual.norm();
}

bool ProductFit::FitTogether() {
  const std::vector<int64_t> columns = KeptColumns();
  const auto features = static_cast<int64_t>(columns.size());
  const int64_t rows = state_.weights.rows();
  if (features == 0 || (features > kMostFeatures && !state_.target->matrix)) return false;
  Matrix prior(rows, features + (state_.has_term ? 1 : 0));
  for (int64_t i = 0; i < features; ++i)
    prior.col(i) = state_.weights.col(columns[static_cast<size_t>(i)]);
  for (int64_t r = 0; r < rows && state_.has_term; ++r)
    prior(r, features) = state_.terms[static_cast<size_t>(r)];
  Halves halves(rows, prior.cols());
  for (size_t s = 0; s < pair_.samples(); ++s) {
    const std::optional<Matrix> seen = Inputs(columns, s);
    if (!seen) return false;
    const int64_t observations = seen->rows() * static_cast<int64_t>(pair_.samples());
    if (features > kMostFeatures && observations >= features) return false;
    if (s == 0 && !Yields(*seen * prior.leftCols(features).transpose())) return false;
    const std::optional<Matrix> wanted = Wanted(s);
    if (!wanted || wanted->rows() != seen->rows()) return false;
    // A last feature that is always 1, where a term can be.
    Matrix x(seen->rows(), prior.cols());
    x.leftCols(features) = *seen;
    if (state_.has_term) x.col(features).setOnes();
    halves.Add(x, *wanted, s, pair_.samples());
  }
  const Matrix fitted = halves.Fitted(prior, features);
  if (!fitted.allFinite()) return false;
  for (int64_t i = 0; i < features; ++i)
    state_.weights.col(columns[static_cast<size_t>(i)]) = fitted.col(i);
  for (int64_t r = 0; r < rows && state_.has_term; ++r)
    state_.terms[static_cast<size_t>(r)] = fitted(r, features);
  return true;
}

bool ProductFit::MatchMoments() {
  // A factor without a term would move the mean.
  if (!state_.has_term) return false;
  const int64_t rows = state_.weights.rows();
  ChannelMoments moments(rows);
  const Tensor weights = Stored(state_.weights, shape_, weight_axis_);
  for (size_t s = 0; s < pair_.samples(); ++s) {
    const std::optional<Matrix> wanted = Wanted(s);
    const std::optional<Tensor> made = Changed(weights, false, s);
    if (!wanted || !made) return false;
    const Matrix present = RowsAlong(*made, axis_);
    if (present.rows() != wanted->rows() || present.cols() != rows) return false;
    moments.Add(*wanted, present);
  }
  const Eigen::ArrayXd factors = moments.Factors();
  const Eigen::ArrayXd terms = moments.ExactMean() - factors * moments.ChangedMean();
  if (!factors.allFinite() || !terms.allFinite()) return false;
  // An operation that is not linear in its weights does not yield so much more of them.
  const std::optional<Tensor> first = Changed(weights, false, 0);
  if (!first) return false;
  const Matrix scaled = RowsAlong(*first, axis_) * factors.matrix().asDiagonal();
  const Matrix before = state_.weights;
  state_.weights = factors.matrix().asDiagonal() * before;
  if (!Yields(scaled)) {
    state_.weights = before;
    return false;
  }
  for (int64_t r = 0; r < rows; ++r) state_.terms[static_cast<size_t>(r)] = terms(r);
  return true;
}

}  // namespace tessera::compression
