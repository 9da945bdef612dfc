#include "passes/compression/pruning/product_fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "passes/compression/pruning/channel_moments.h"
#include "passes/compression/pruning/linear_fit.h"
#include "passes/compression/pruning/rows_along.h"
#include "passes/compression/weights/weight_matrix.h"

namespace tessera::compression {
namespace {

using ir::Tensor;

constexpr int64_t kMostRows = 1024;      // positions of each sample that are looked at
constexpr int64_t kMostFeatures = 4096;  // of sums over more observations, and of convolutions
// Of the mean square of what is read: how far weights may move from what they were. The last hardly
// lets them, and leaves it to the terms.
constexpr double kDampings[] = {1e-4, 1e-3, 1e-2, 1e-1, 1, 1e4};

const Tensor& Of(absl::Span<const Tensor> values, size_t sample) {
  return values.size() == 1 ? values[0] : values[sample];
}

void Append(Matrix& matrix, const Matrix& rows) {
  const int64_t before = matrix.rows();
  matrix.conservativeResize(before + rows.rows(), rows.cols());
  matrix.bottomRows(rows.rows()) = rows;
}

// Two halves of what is seen: what one is fitted to, the other judges.
struct Halves {
  Halves(int64_t results, int64_t features)
      : sums{LinearFit(results, features), LinearFit(results, features)} {}

  void Add(const Matrix& x, const Matrix& y, size_t sample, size_t samples) {
    if (samples > 1) return Keep(x, y, sample % 2);
    const int64_t half = x.rows() / 2;
    Keep(x.topRows(half), y.topRows(half), 0);
    Keep(x.bottomRows(x.rows() - half), y.bottomRows(x.rows() - half), 1);
  }

  void Keep(const Matrix& x, const Matrix& y, size_t half) {
    constexpr int64_t kBatch = 1024;
    Append(kept_x[half], x);
    Append(kept_y[half], y);
    if (kept_x[half].rows() >= kBatch) Sum(half);
  }
  void Sum(size_t half) {
    if (kept_x[half].rows() > 0) sums[half].Add(kept_x[half], kept_y[half]);
    kept_x[half].resize(0, 0);
    kept_y[half].resize(0, 0);
  }

  // With the damping with which either half errs least on the other.
  Matrix Fitted(const Matrix& prior, int64_t damped) {
    for (size_t half = 0; half < 2; ++half) Sum(half);
    const auto error = [&](int i) {
      const double all = sums[1].Error(sums[0].Fitted(prior, kDampings[i], damped)) +
                         sums[0].Error(sums[1].Fitted(prior, kDampings[i], damped));
      return std::isnan(all) ? std::numeric_limits<double>::infinity() : all;
    };
    // From the middle to where it gets no better.
    constexpr int kAll = std::size(kDampings);
    int best = 2;
    double least = error(best);
    const auto walk = [&](int step) {
      bool better = false;
      for (int next = best + step; next >= 0 && next < kAll; next += step) {
        const double there = error(next);
        if (!(there < least)) break;
        least = there;
        best = next;
        better = true;
      }
      return better;
    };
    if (!walk(-1)) walk(1);
    LinearFit both = sums[0];
    both.Add(sums[1]);
    return both.Fitted(prior, kDampings[best], damped);
  }

  Matrix kept_x[2], kept_y[2];  // what is yet to be summed
  LinearFit sums[2];
};

std::vector<int64_t> Indices(const std::vector<bool>& kept) {
  std::vector<int64_t> indices;
  for (size_t k = 0; k < kept.size(); ++k) {
    if (kept[k]) indices.push_back(static_cast<int64_t>(k));
  }
  return indices;
}

}  // namespace

ProductFit::ProductFit(const Layerwise& pair, State& state)
    : pair_(pair), state_(state), trait_(TraitOf(state.target->op->info())) {
  const int64_t rank = op().result()->type().rank();
  axis_ = trait_.result_axis < 0 ? trait_.result_axis + rank : trait_.result_axis;
  shape_ = pair_.Changed(*op().operand(static_cast<size_t>(trait_.weight)))[0].shape();
  weight_axis_ = state_.target->matrix ? 1 : state_.target->axis;
  const ir::Value& made = *state_.end->result();
  if (made.UsesUnsorted().size() != 1 || made.is_graph_output()) return;
  const ir::Use use = made.UsesUnsorted()[0];
  if (TraitOf(use.op->info()).kind != ir::Quantizable::kSums) return;
  const ir::Value* other = use.op->operand(static_cast<size_t>(1 - use.index));
  if (other != nullptr && !pair_.Exact(*other).empty() && !pair_.Changed(*other).empty())
    beside_ = other;
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

std::optional<Tensor> ProductFit::Changed(const Tensor& weights, bool with_term, size_t sample,
                                          const Tensor* data) const {
  std::vector<const Tensor*> operands;
  for (size_t i = 0; i < op().operands().size(); ++i) {
    const ir::Value* operand = op().operand(i);
    const bool left_out = operand == nullptr ||
                          (!with_term && static_cast<int>(i) == trait_.bias && trait_.bias >= 0);
    operands.push_back(left_out ? nullptr : &Of(pair_.Changed(*operand), sample));
  }
  operands[static_cast<size_t>(trait_.weight)] = &weights;
  if (data != nullptr) operands[static_cast<size_t>(trait_.data)] = data;
  absl::StatusOr<std::vector<Tensor>> made = pair_.Rerun(op(), operands, sample);
  if (!made.ok()) return std::nullopt;
  return std::move((*made)[0]);
}

std::optional<Matrix> ProductFit::Wanted(size_t sample) const {
  const std::optional<Tensor> exact = Exact(sample);
  if (!exact) return std::nullopt;
  Matrix wanted = RowsAlong(*exact, axis_, kMostRows);
  if (wanted.cols() != state_.weights.rows()) return std::nullopt;
  if (!state_.inside && state_.has_term) {
    for (int64_t r = 0; r < wanted.cols(); ++r)
      wanted.col(r).array() += state_.terms[static_cast<size_t>(r)];
  }
  return wanted;
}

// What the value that this one is added to is short of; it is made up for here.
bool ProductFit::AddMissing(size_t sample, Matrix& wanted) const {
  if (beside_ == nullptr) return true;
  const Tensor& exact = Of(pair_.Exact(*beside_), sample);
  const Tensor& changed = Of(pair_.Changed(*beside_), sample);
  if (exact.rank() != op().result()->type().rank() || exact.shape() != changed.shape()) return true;
  const Matrix missing = RowsAlong(exact, axis_, kMostRows) - RowsAlong(changed, axis_, kMostRows);
  if (missing.rows() != wanted.rows() || missing.cols() != wanted.cols()) return true;
  wanted += missing;
  return wanted.allFinite();
}

// The product with weights of one 1 per channel yields elements of its data: of data that are
// their own numbers, which.
bool ProductFit::FindPicks(const std::vector<int64_t>& columns, const Tensor& data, size_t sample) {
  if (!picks_.of.empty() && picks_.data_shape == data.shape()) return true;
  picks_ = {};
  constexpr int64_t kExact = int64_t{1} << 24;  // whole numbers up to there are floats
  if (data.size() >= kExact) return false;
  const auto features = static_cast<int64_t>(columns.size());
  std::vector<int64_t> shape = shape_;
  shape[static_cast<size_t>(weight_axis_)] = features;
  Matrix each = Matrix::Zero(features, state_.weights.cols());
  for (int64_t i = 0; i < features; ++i) each(i, columns[static_cast<size_t>(i)]) = 1;
  Tensor numbers = *Tensor::Allocate(ir::DType::kF32, data.shape());
  std::iota(numbers.mutable_data<float>(), numbers.mutable_data<float>() + data.size(), 1.0F);
  const std::optional<Tensor> seen =
      Changed(Stored(each, shape, weight_axis_), false, sample, &numbers);
  if (!seen || seen->shape()[static_cast<size_t>(axis_)] != features) return false;
  const Matrix rows = RowsAlong(*seen, axis_, kMostRows);
  std::vector<int64_t> of(static_cast<size_t>(rows.size()));
  for (int64_t i = 0; i < rows.size(); ++i) {
    const double number = rows.data()[i];
    if (!(number >= 0 && number <= static_cast<double>(data.size())) ||
        number != std::floor(number))
      return false;
    of[static_cast<size_t>(i)] = static_cast<int64_t>(number) - 1;
  }
  picks_ = {data.shape(), rows.rows(), std::move(of)};
  return true;
}

// What the weights of these columns are multiplied by.
std::optional<Matrix> ProductFit::Inputs(const std::vector<int64_t>& columns, size_t sample) {
  const auto features = static_cast<int64_t>(columns.size());
  const Tensor& data = Of(pair_.Changed(*op().operand(static_cast<size_t>(trait_.data))), sample);
  if (state_.target->matrix) {
    const Matrix all = RowsAlong(data, data.rank() - 1, kMostRows);
    if (all.cols() != state_.weights.cols()) return std::nullopt;
    return all(Eigen::all, columns);
  }
  if (!FindPicks(columns, data, sample)) return std::nullopt;
  Matrix some(picks_.rows, features);
  const float* from = data.data<float>();
  for (int64_t i = 0; i < some.size(); ++i) {
    const int64_t pick = picks_.of[static_cast<size_t>(i)];
    some.data()[i] = pick < 0 ? 0 : from[pick];
  }
  return some;
}

// Whether the product with these weights, without terms, yields that on the first sample: an
// operation that is not linear in its weights does not.
bool ProductFit::Yields(const Matrix& expected) const {
  const std::optional<Tensor> made =
      Changed(Stored(state_.weights, shape_, weight_axis_), false, 0);
  if (!made) return false;
  const Matrix actual = RowsAlong(*made, axis_, kMostRows);
  if (expected.rows() != actual.rows() || expected.cols() != actual.cols()) return false;
  return (expected - actual).norm() <= 1e-3 * actual.norm();
}

bool ProductFit::FitTogether() {
  const std::vector<int64_t> columns = Indices(state_.kept), rows = Indices(state_.kept_rows);
  const auto features = static_cast<int64_t>(columns.size());
  if (features == 0 || rows.empty() || (features > kMostFeatures && !state_.target->matrix))
    return false;
  const Matrix present = state_.weights(Eigen::all, columns);
  Matrix prior(static_cast<int64_t>(rows.size()), features + (state_.has_term ? 1 : 0));
  prior.leftCols(features) = present(rows, Eigen::all);
  for (size_t i = 0; i < rows.size() && state_.has_term; ++i)
    prior(static_cast<int64_t>(i), features) = state_.terms[static_cast<size_t>(rows[i])];
  Halves halves(prior.rows(), prior.cols());
  for (size_t s = 0; s < pair_.samples(); ++s) {
    const std::optional<Matrix> seen = Inputs(columns, s);
    if (!seen) return false;
    const int64_t observations = seen->rows() * static_cast<int64_t>(pair_.samples());
    if (features > kMostFeatures && observations >= features) return false;
    if (s == 0 && !Yields(*seen * present.transpose())) return false;
    std::optional<Matrix> wanted = Wanted(s);
    if (!wanted || wanted->rows() != seen->rows() || !AddMissing(s, *wanted)) return false;
    // A last feature that is always 1, where a term can be.
    Matrix x(seen->rows(), prior.cols());
    x.leftCols(features) = *seen;
    if (state_.has_term) x.col(features).setOnes();
    halves.Add(x, (*wanted)(Eigen::all, rows), s, pair_.samples());
  }
  const Matrix fitted = halves.Fitted(prior, features);
  if (!fitted.allFinite()) return false;
  state_.weights(rows, columns) = fitted.leftCols(features);
  for (size_t i = 0; i < rows.size() && state_.has_term; ++i)
    state_.terms[static_cast<size_t>(rows[i])] = fitted(static_cast<int64_t>(i), features);
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
    const Matrix present = RowsAlong(*made, axis_, kMostRows);
    if (present.rows() != wanted->rows() || present.cols() != rows) return false;
    moments.Add(*wanted, present);
  }
  const Eigen::ArrayXd factors = moments.Factors();
  const Eigen::ArrayXd terms = moments.ExactMean() - factors * moments.ChangedMean();
  if (!factors.allFinite() || !terms.allFinite()) return false;
  // An operation that is not linear in its weights does not yield so much more of them.
  const std::optional<Tensor> first = Changed(weights, false, 0);
  if (!first) return false;
  const Matrix scaled = RowsAlong(*first, axis_, kMostRows) * factors.matrix().asDiagonal();
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
