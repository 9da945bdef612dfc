#include "passes/compression/weights/matrix_walk.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/types/span.h"
#include "passes/compression/calibration/calibrate.h"
#include "passes/compression/calibration/statistics.h"
#include "passes/compression/layerwise/layerwise.h"
#include "passes/compression/quantization/plain_product.h"
#include "passes/compression/traits/traits.h"
#include "passes/compression/weights/refitted.h"
#include "passes/compression/weights/weight_matrix.h"

namespace tessera::compression {
namespace {

using ir::Tensor;

// Of each sample; more add little to the sums.
constexpr int64_t kMostRows = 4096;

// What a matrix is multiplied with, a row each, spread over all.
Matrix RowsOf(const Tensor& data) {
  const int64_t inputs = data.shape().back();
  const int64_t all = inputs == 0 ? 0 : data.size() / inputs;
  const int64_t rows = std::min(all, kMostRows);
  Matrix matrix(rows, inputs);
  for (int64_t r = 0; r < rows; ++r) {
    const float* from = data.data<float>() + r * all / rows * inputs;
    for (int64_t k = 0; k < inputs; ++k) matrix(r, k) = from[k];
  }
  return matrix;
}

// What an operation reads whose weights have become these, channels along `axis`.
Tensor OperandOf(const Matrix& numbers, absl::Span<const int64_t> shape, int64_t axis) {
  Tensor tensor = *Tensor::Allocate(ir::DType::kF32, {shape.begin(), shape.end()});
  const MatrixLayout layout(shape, axis);
  auto* to = tensor.mutable_data<float>();
  for (int64_t r = 0; r < layout.rows(); ++r) {
    for (int64_t k = 0; k < layout.inputs(); ++k)
      to[layout.IndexOf(r, k)] = static_cast<float>(numbers(r, k));
  }
  return tensor;
}

class Powers : public calibration::Observer {
 public:
  void Want(const ir::Value* value) { sums_[value]; }
  void See(const ir::Value& value, const Tensor& tensor) override {
    const auto found = sums_.find(&value);
    if (found == sums_.end() || tensor.rank() == 0) return;
    const auto inputs = static_cast<size_t>(tensor.shape().back());
    std::vector<double>& sums = found->second;
    sums.resize(std::max(sums.size(), inputs));
    const float* data = tensor.data<float>();
    for (size_t i = 0; i < static_cast<size_t>(tensor.size()); ++i)
      sums[i % inputs] += double{data[i]} * data[i];
    not_finite_[&value] += calibration::CountNotFinite(tensor);
  }
  const std::vector<double>& Of(const ir::Value* value) const { return sums_.at(value); }
  int64_t NotFinite(const ir::Value* value) const {
    const auto found = not_finite_.find(value);
    return found == not_finite_.end() ? 0 : found->second;
  }

 private:
  std::map<const ir::Value*, int64_t> not_finite_;
  std::map<const ir::Value*, std::vector<double>> sums_;
};

int DataIndex(const WeightTarget& target) { return TraitOf(target.op->info()).data; }
const ir::Value* DataOf(const WeightTarget& target) {
  return target.op->operand(static_cast<size_t>(DataIndex(target)));
}

absl::StatusOr<MatrixInputs> InputsOf(const BuildContext& context, const Layerwise& pair,
                                      const WeightTarget& target) {
  const ir::Value* data = DataOf(target);
  const absl::Span<const Tensor> exact = pair.Exact(*data), changed = pair.Changed(*data);
  Matrix weights = WeightsOf(target);
  const int64_t inputs = weights.cols();
  MatrixInputs sums{{}, Matrix::Zero(inputs, inputs)};
  Matrix crossed = Matrix::Zero(inputs, inputs);
  bool same = true, finite = true;
  for (size_t s = 0; s < changed.size(); ++s) {
    const Matrix now = RowsOf(changed[s]);
    const bool as_exact = exact[s].bytes().data() == changed[s].bytes().data();
    const Matrix before = as_exact ? Matrix() : RowsOf(exact[s]);
    finite = finite && now.allFinite() && before.allFinite();
    sums.square.noalias() += now.transpose() * now;
    crossed.noalias() += (as_exact ? now : before).transpose() * now;
    same = same && as_exact;
  }
  if (!finite) {
    int64_t elements = 0;
    for (size_t s = 0; s < changed.size(); ++s)
      elements +=
          std::max(calibration::CountNotFinite(exact[s]), calibration::CountNotFinite(changed[s]));
    return NotFinite(context, *target.op, DataIndex(target), elements);
  }
  sums.wanted = same ? std::move(weights) : Refitted(weights, sums.square, crossed);
  return sums;
}

// The operation alone reads them: others that read the constant and are no target keep it.
void Supply(const WeightTarget& target, const ir::Operation& op, int index, const Matrix& numbers,
            Layerwise& pair) {
  const ir::Value& operand = *op.operand(static_cast<size_t>(index));
  int64_t axis = target.axis;
  if (&operand != target.point.value) {
    // A matrix has its channels last, whatever its constant's layout. What is read in another
    // layout is followed as it was.
    if (!IsMatrixProduct(op)) return;
    axis = 1;
  }
  pair.Supply(op, static_cast<size_t>(index),
              OperandOf(numbers, pair.Changed(operand)[0].shape(), axis));
}

}  // namespace

Matrix WeightsOf(const WeightTarget& target) {
  const Tensor& constant = *target.point.value->constant();
  return MatrixLayout(constant.shape(), target.axis).Read(constant);
}

absl::Status WalkMatrices(const BuildContext& context, size_t most,
                          const std::vector<const WeightTarget*>& targets, ChooseWeights choose) {
  absl::StatusOr<Layerwise> pair = Layerwise::Create(context.graph, *context.samples, most);
  if (!pair.ok()) return pair.status();
  std::map<const ir::Operation*, std::vector<const WeightTarget*>> at;
  std::map<const ir::Operation*, std::vector<std::pair<const WeightTarget*, int>>> others;
  for (const WeightTarget* target : targets) {
    at[target->op].push_back(target);
    for (const Point& other : target->others) others[other.op].emplace_back(target, other.index);
  }
  std::map<const WeightTarget*, Matrix> chosen;  // that others read
  absl::Status seen;
  const auto visit = [&](const ir::Operation& op) {
    if (!seen.ok()) return;
    if (const auto found = others.find(&op); found != others.end()) {
      for (const auto& [target, index] : found->second) {
        const auto numbers = chosen.find(target);
        if (numbers != chosen.end()) Supply(*target, op, index, numbers->second, *pair);
      }
    }
    const auto found = at.find(&op);
    if (found == at.end()) return;
    for (const WeightTarget* target : found->second) {
      const ir::Value& operand = *op.operand(static_cast<size_t>(target->operand));
      const std::vector<int64_t> shape = pair->Changed(operand)[0].shape();
      const bool has_sums =
          target->matrix && target->point.value->constant()->size() / shape[1] <= kMostInputs;
      Matrix numbers;
      if (has_sums) {
        const absl::StatusOr<MatrixInputs> inputs = InputsOf(context, *pair, *target);
        if (!inputs.ok()) {
          seen = inputs.status();
          return;
        }
        numbers = choose(*target, &*inputs);
      } else {
        numbers = choose(*target, nullptr);
      }
      Supply(*target, op, target->operand, numbers, *pair);
      if (!target->others.empty()) chosen[target] = std::move(numbers);
    }
  };
  const absl::Status ran = pair->Run(visit);
  return seen.ok() ? ran : seen;
}

double SignalToNoise(const MatrixInputs& inputs, const Matrix& numbers) {
  constexpr double kMost = 200;
  const Matrix off = numbers - inputs.wanted;
  const double noise = (off * inputs.square).cwiseProduct(off).sum();
  const double signal = (inputs.wanted * inputs.square).cwiseProduct(inputs.wanted).sum();
  return noise > 0 && signal > 0 ? std::min(kMost, 10 * std::log10(signal / noise)) : kMost;
}

absl::StatusOr<std::map<const WeightTarget*, std::vector<double>>> InputPowers(
    const BuildContext& context, const calibration::SampleSource& samples,
    const std::vector<WeightTarget>& targets) {
  Powers powers;
  for (const WeightTarget& target : targets) {
    if (target.matrix) powers.Want(DataOf(target));
  }
  calibration::Observer* observers[] = {&powers};
  if (absl::Status status = calibration::Calibrate(context.graph, samples, observers); !status.ok())
    return status;
  std::map<const WeightTarget*, std::vector<double>> by_target;
  for (const WeightTarget& target : targets) {
    if (!target.matrix) continue;
    if (const int64_t elements = powers.NotFinite(DataOf(target)); elements > 0)
      return NotFinite(context, *target.op, DataIndex(target), elements);
    by_target[&target] = powers.Of(DataOf(target));
  }
  return by_target;
}

}  // namespace tessera::compression
