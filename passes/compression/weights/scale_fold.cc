#include "passes/compression/weights/scale_fold.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>

#include "targets/reference/run_operation.h"

namespace tessera::compression {
namespace {

using ir::Tensor;

constexpr int kMostSteps = 8;
constexpr double kClose = 1e-5;  // of the largest result

// An operation on the way to the value, whose operands but one are constants.
class Step {
 public:
  Step(const ir::Operation& op, const std::vector<double>& factors,
       const solver::Assignment& assignment)
      : op_(op), factors_(factors), assignment_(assignment) {}

  // False: it is none.
  bool Find() {
    for (size_t i = 0; i < op_.operands().size(); ++i) {
      const ir::Value* operand = op_.operand(i);
      if (operand == nullptr) continue;
      if (operand->constant() == nullptr) {
        if (data_ >= 0) return false;
        data_ = static_cast<int>(i);
        continue;
      }
      const Tensor& constant = *operand->constant();
      if (constant.dtype() == ir::DType::kF32 && constant.rank() > 0 &&
          constant.size() == static_cast<int64_t>(factors_.size()) &&
          constant.shape().back() == constant.size())
        by_channel_.push_back(static_cast<int>(i));
    }
    return data_ >= 0 && op_.results().size() == 1 &&
           op_.operand(static_cast<size_t>(data_))->type().dtype == ir::DType::kF32;
  }

  const ir::Value& data() const { return *op_.operand(static_cast<size_t>(data_)); }
  const std::vector<int>& by_channel() const { return by_channel_; }

  Tensor Multiplied(const Tensor& tensor) const {
    Tensor result = *Tensor::Allocate(ir::DType::kF32, tensor.shape());
    for (int64_t i = 0; i < tensor.size(); ++i)
      result.mutable_data<float>()[i] = static_cast<float>(
          tensor.AsDouble(i) * factors_[static_cast<size_t>(i) % factors_.size()]);
    return result;
  }

  // Whether what it makes has the factors when its constants have them, with the data as it is or
  // with the factors too.
  bool Yields(bool with_data) const {
    const std::optional<Tensor> plain = Run(false, false), other = Run(true, with_data);
    if (!plain || !other || plain->shape() != other->shape()) return false;
    const Tensor wanted = Multiplied(*plain);
    double largest = 0, off = 0;
    for (int64_t i = 0; i < wanted.size(); ++i) {
      largest = std::max(largest, std::fabs(wanted.AsDouble(i)));
      off = std::max(off, std::fabs(wanted.AsDouble(i) - other->AsDouble(i)));
    }
    return largest > 0 && off <= kClose * largest;
  }

 private:
  std::optional<Tensor> Run(bool constants, bool data) const {
    constexpr int64_t kRows = 3;
    std::vector<int64_t> shape(static_cast<size_t>(this->data().type().rank()), 1);
    if (shape.empty()) return std::nullopt;
    shape.back() = static_cast<int64_t>(factors_.size());
    if (shape.size() > 1) shape[shape.size() - 2] = kRows;
    Tensor x = *Tensor::Allocate(ir::DType::kF32, shape);
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (int64_t i = 0; i < x.size(); ++i) x.mutable_data<float>()[i] = normal(random);
    if (data) x = Multiplied(x);
    std::vector<Tensor> changed;
    changed.reserve(by_channel_.size());
    std::vector<const Tensor*> operands;
    for (size_t i = 0; i < op_.operands().size(); ++i) {
      const ir::Value* operand = op_.operand(i);
      const bool has = constants && std::find(by_channel_.begin(), by_channel_.end(),
                                              static_cast<int>(i)) != by_channel_.end();
      if (has) changed.push_back(Multiplied(*operand->constant()));
      operands.push_back(static_cast<int>(i) == data_ ? &x
                         : operand == nullptr         ? nullptr
                         : has                        ? &changed.back()
                                                      : operand->constant());
    }
    absl::StatusOr<std::vector<Tensor>> results =
        reference::RunOperation(op_, operands, assignment_);
    if (!results.ok() || (*results)[0].dtype() != ir::DType::kF32) return std::nullopt;
    if ((*results)[0].rank() == 0 ||
        (*results)[0].shape().back() != static_cast<int64_t>(factors_.size()))
      return std::nullopt;
    return std::move((*results)[0]);
  }

  const ir::Operation& op_;
  const std::vector<double>& factors_;
  const solver::Assignment& assignment_;
  int data_ = -1;
  std::vector<int> by_channel_;
};

}  // namespace

std::vector<std::pair<Point, Tensor>> FoldedFactors(const BuildContext& context,
                                                    const ir::Value& value,
                                                    const std::vector<double>& factors,
                                                    const solver::Assignment& assignment) {
  std::vector<std::pair<Point, Tensor>> folded;
  const ir::Value* made = &value;
  for (int i = 0; i < kMostSteps; ++i) {
    const ir::Operation* op = made->producer();
    if (op == nullptr || op->payload() != nullptr) return {};
    if (made != &value && (made->is_graph_output() || made->UsesUnsorted().size() != 1)) return {};
    Step step(*op, factors, assignment);
    if (!step.Find()) return {};
    const bool takes_in = !step.by_channel().empty() && step.Yields(false);
    if (!takes_in && !step.Yields(true)) return {};
    for (const int index : step.by_channel()) {
      std::optional<Point> point = WeightPoint(context, *op, index);
      if (!point || point->value->constant() == nullptr) return {};
      // The file's own tensor, as the operation reads it.
      const Tensor& constant = *point->value->constant();
      if (constant.size() != static_cast<int64_t>(factors.size())) return {};
      Tensor changed = step.Multiplied(constant);
      folded.emplace_back(*std::move(point), std::move(changed));
    }
    if (takes_in) return folded;
    made = &step.data();
  }
  return {};
}

}  // namespace tessera::compression
