#include "tools/proving/tried_positions.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/checker.h"
#include "ir/op_info.h"
#include "ir/tensor.h"
#include "solver/assignment.h"
#include "targets/reference/run_op.h"

namespace tessera::proving {
namespace {

using ir::Tensor;
using solver::Assignment;
using solver::Expr;

constexpr int64_t kMostElements = 1 << 14;  // of one tensor
constexpr int kDeepest = 200;
constexpr size_t kTrials = 24;

std::optional<std::vector<int64_t>> Numbers(const std::vector<Expr>& list, const Assignment& at) {
  std::vector<int64_t> numbers;
  for (const Expr& e : list) {
    const absl::StatusOr<int64_t> number = solver::Evaluate(e, at);
    if (!number.ok()) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::vector<ir::Attribute>> Attributes(const ir::Operation& op,
                                                     const Assignment& at) {
  std::vector<ir::Attribute> attrs(op.attrs().begin(), op.attrs().end());
  for (ir::Attribute& attr : attrs) {
    const Expr* const one = std::get_if<Expr>(&attr);
    const auto* const list = std::get_if<std::vector<Expr>>(&attr);
    if (one == nullptr && list == nullptr) continue;
    const auto numbers = Numbers(one != nullptr ? std::vector<Expr>{*one} : *list, at);
    if (!numbers) return std::nullopt;
    if (one != nullptr) {
      attr = Expr(numbers->front());
    } else {
      attr = std::vector<Expr>(numbers->begin(), numbers->end());
    }
  }
  return attrs;
}

// Tensors at sizes.
class Instance {
 public:
  explicit Instance(const Assignment& at) : at_(at) {}

  // Null: it cannot be computed.
  const Tensor* Of(const ir::Value& value) {
    if (value.constant() != nullptr) return value.constant();
    if (const auto it = known_.find(&value); it != known_.end())
      return it->second ? &*it->second : nullptr;
    if (++depth_ > kDeepest) return nullptr;
    std::optional<Tensor> tensor = Compute(value);
    --depth_;
    std::optional<Tensor>& kept = known_[&value];
    kept = std::move(tensor);
    return kept ? &*kept : nullptr;
  }

  // Of a tensor of which nothing but the shape counts.
  std::optional<std::vector<int64_t>> Shape(const ir::Value& value) const {
    std::optional<std::vector<int64_t>> shape = Numbers(value.type().dims, at_);
    if (!shape || std::any_of(shape->begin(), shape->end(), [](int64_t d) { return d < 0; }))
      return std::nullopt;
    return shape;
  }

 private:
  std::optional<Tensor> Compute(const ir::Value& value) {
    const auto shape = Shape(value);
    const auto count = shape ? ir::ElementCount(*shape, 1) : absl::StatusOr<int64_t>(-1);
    if (!count.ok() || *count < 0 || *count > kMostElements) return std::nullopt;
    if (value.elements() != nullptr) {
      const auto numbers = Numbers(*value.elements(), at_);
      if (!numbers) return std::nullopt;
      return Tensor::Of<int64_t>(value.type().dtype, *shape, *numbers);
    }
    const ir::Operation* const op = value.producer();
    if (op == nullptr || op->info().kernel == nullptr || op->info().effect) return std::nullopt;
    std::vector<const Tensor*> inputs;
    std::vector<Tensor> shapes;
    shapes.reserve(op->operands().size());
    for (size_t i = 0; i < op->operands().size(); ++i) {
      const ir::Value* const operand = op->operand(i);
      const ir::OperandSpec* const spec = ir::OperandSpecAt(op->info(), i);
      inputs.push_back(nullptr);
      if (operand == nullptr) continue;
      if (spec == nullptr || spec->data) {
        inputs.back() = Of(*operand);
      } else if (const auto dims = Shape(*operand)) {
        const auto size = ir::ElementCount(*dims, 1);
        if (!size.ok() || *size > kMostElements) return std::nullopt;
        auto zeros = Tensor::Allocate(operand->type().dtype, *dims);
        if (zeros.ok()) shapes.push_back(*std::move(zeros));
        if (zeros.ok()) inputs.back() = &shapes.back();
      }
      if (inputs.back() == nullptr) return std::nullopt;
    }
    const auto attrs = Attributes(*op, at_);
    if (!attrs) return std::nullopt;
    constexpr int64_t kMostBytes = 16 * kMostElements;
    auto results = reference::RunOp(op->info(), inputs, *attrs, kMostBytes);
    const auto index = static_cast<size_t>(value.result_index());
    if (!results.ok() || index >= results->size()) return std::nullopt;
    return std::move((*results)[index]);
  }

  const Assignment& at_;
  std::map<const ir::Value*, std::optional<Tensor>> known_;
  int depth_ = 0;
};

// What the definition says of these sizes; with the elements of the operand, or without.
absl::Status Infer(const ir::Operation& op, Instance& instance,
                   const std::vector<ir::Attribute>& attrs, size_t operand,
                   const std::vector<int64_t>& elements) {
  std::vector<ir::OperandInfo<int64_t>> infos(
      std::max(op.operands().size(), op.info().operands.size()));
  std::vector<std::vector<int64_t>> dims(infos.size());
  std::vector<std::vector<int64_t>> known(infos.size());
  for (size_t i = 0; i < op.operands().size(); ++i) {
    const ir::Value* const value = op.operand(i);
    if (value == nullptr) continue;
    const auto shape = instance.Shape(*value);
    if (!shape) return absl::UnknownError("shape");
    dims[i] = *shape;
    infos[i].present = true;
    infos[i].dtype = value->type().dtype;
    infos[i].dims = dims[i];
    if (i == operand || value->elements() == nullptr) continue;
    if (const Tensor* tensor = instance.Of(*value)) {
      for (int64_t k = 0; k < tensor->size(); ++k) known[i].push_back(tensor->AsInt(k));
      infos[i].has_elements = true;
      infos[i].elements = infos[i].extremes = known[i];
    }
  }
  infos[operand].extremes = elements;
  ir::Checker<int64_t> checker;
  std::vector<ir::ResultInfo<int64_t>> results;
  const absl::Status status = op.info().infer({infos, attrs}, checker, results);
  return status.ok() ? checker.status() : status;
}

}  // namespace

std::vector<Assignment> SomeSizes(const solver::Context& context) {
  const std::vector<const solver::SymbolInfo*> symbols = context.symbols();
  std::mt19937 random(1);
  const auto within = [](const solver::SymbolInfo& symbol, int64_t wanted) {
    const int64_t stride = std::max<int64_t>(symbol.congruence.stride, 1);
    int64_t size = std::clamp(wanted, symbol.range.lo, symbol.range.hi);
    size += ((symbol.congruence.residue - size) % stride + stride) % stride;
    return size <= symbol.range.hi ? size : size - stride;
  };
  std::vector<Assignment> sizes;
  constexpr int64_t kEqual[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 33};
  for (size_t k = 0; k < 8 * kTrials && sizes.size() < kTrials; ++k) {
    Assignment at;
    for (const solver::SymbolInfo* symbol : symbols) {
      if (symbol->value) continue;
      const int64_t wanted = k < std::size(kEqual)
                                 ? kEqual[k]
                                 : symbol->range.lo + static_cast<int64_t>(random() % 24);
      at[symbol->name] = within(*symbol, wanted);
    }
    bool admitted = true;
    for (const solver::SymbolInfo* symbol : symbols) {
      if (!symbol->value) continue;
      const absl::StatusOr<int64_t> value = solver::Evaluate(*symbol->value, at);
      admitted = admitted && value.ok() && *value >= symbol->range.lo && *value <= symbol->range.hi;
      if (value.ok()) at[symbol->name] = *value;
    }
    for (const Expr& fact : context.hypotheses()) {
      const absl::StatusOr<int64_t> holds = solver::Evaluate(fact, at);
      admitted = admitted && holds.ok() && *holds != 0;
    }
    if (admitted && std::find(sizes.begin(), sizes.end(), at) == sizes.end()) sizes.push_back(at);
  }
  return sizes;
}

absl::Status TryPositions(const ir::Operation& op, size_t operand,
                          const std::vector<Assignment>& sizes) {
  for (const Assignment& at : sizes) {
    Instance instance(at);
    const Tensor* const tensor = instance.Of(*op.operand(operand));
    const auto attrs = Attributes(op, at);
    if (tensor == nullptr || !attrs) continue;
    std::vector<int64_t> elements;
    for (int64_t k = 0; k < tensor->size(); ++k) elements.push_back(tensor->AsInt(k));
    if (!Infer(op, instance, *attrs, operand, {}).ok()) continue;
    const absl::Status status = Infer(op, instance, *attrs, operand, elements);
    if (status.ok()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(status.message(), " (it is false for ", solver::ToText(at), ")"));
  }
  return absl::OkStatus();
}

}  // namespace tessera::proving
