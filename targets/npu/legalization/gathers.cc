#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "ir/registry.h"
#include "ir/rewriter.h"
#include "layout/permutation.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/movement.h"

namespace tessera::npu {
namespace {

using Ints = std::vector<int64_t>;
using Numbers = std::vector<float>;

bool IsPicked(const ir::Operation* op) {
  return op != nullptr && StepOf(*op) == Step::kPicked && op->operand(1)->constant() != nullptr &&
         op->operand(0)->type().dims.back().Constant().has_value();
}

int64_t LastOf(const ir::Value& value) { return *value.type().dims.back().Constant(); }

// Counted from the first one.
Ints EntriesOf(const ir::Operation& picked) {
  const ir::Tensor& entries = *picked.operand(1)->constant();
  const int64_t last = LastOf(*picked.operand(0));
  Ints list;
  for (int64_t i = 0; i < entries.size(); ++i) {
    const auto entry = static_cast<int64_t>(entries.AsDouble(i));
    list.push_back(entry < 0 ? entry + last : entry);
  }
  return list;
}

bool IsAlone(const ir::Value& value) {
  return value.UsesUnsorted().size() == 1 && !value.is_graph_output();
}

bool IsPlainFilter(const ir::Operation& op) {
  return StepOf(op) == Step::kFilter && std::get<int64_t>(op.attr(4)) == 1;
}

bool HasNumbers(const ir::Operation& op) {
  return op.operand(1)->constant() != nullptr && op.operand(2)->constant() != nullptr;
}

// Weighted sums of the last axis, whose weights and biases are numbers.
bool IsSummed(const ir::Operation& op) {
  return (StepOf(op) == Step::kRows || IsPlainFilter(op)) && HasNumbers(op);
}

// The last axis stays what it is, and as it was.
bool KeepsLast(const ir::Operation& op) {
  if (op.info().role == ir::Role::kReshape) {
    const auto &from = op.operand(0)->type().dims, &to = op.result()->type().dims;
    return !from.empty() && !to.empty() && from.back() == to.back();
  }
  if (op.info().role == ir::Role::kTranspose) {
    const auto order = layout::PermutationOf(&op);
    return order.has_value() && !order->empty() &&
           order->back() == static_cast<int64_t>(order->size()) - 1;
  }
  if (StepOf(op) == Step::kPart)
    return op.operand(0)->type().dims.back() == op.result()->type().dims.back();
  if (StepOf(op) == Step::kOver)
    return std::get<int64_t>(op.attr(1)) + 1 <
           static_cast<int64_t>(op.result()->type().dims.size());
  return StepOf(op) == Step::kWindow || IsTable(op);
}

// What an operation does to each entry of the last axis alike; the operand is its only data.
bool IsAlike(const ir::Operation& op) {
  return KeepsLast(op) || (StepOf(op) == Step::kScaled && HasNumbers(op));
}

bool IsPair(const ir::Operation& op) {
  return StepOf(op) == Step::kSum || StepOf(op) == Step::kProduct;
}

const ir::Value* DataOf(const ir::Operation& op) {
  for (const ir::Value* operand : op.operands()) {
    if (operand != nullptr && operand->constant() == nullptr) return operand;
  }
  return nullptr;
}

class Gathers {
 public:
  explicit Gathers(ir::Graph& graph) : graph_(graph), rewriter_(graph) {}

  absl::StatusOr<passes::PassResult> Run() {
    passes::PassResult result;
    // Each step takes one away, or brings one nearer to an end that it reaches.
    while (Step()) {
      if (!status_.ok()) return status_;
      result.changed = true;
      ++result.rewrites;
    }
    if (!status_.ok()) return status_;
    rewriter_.EraseUnused();
    return result;
  }

 private:
  bool Step() {
    for (ir::Operation* op : graph_.TopologicalOrder()) {
      if (!IsPicked(op)) continue;
      if (op->result()->UsesUnsorted().empty() && !op->result()->is_graph_output()) continue;
      if (Drop(*op) || IntoReaders(*op) || (EndsAbove(*op->operand(0)) && Raise(*op))) return true;
    }
    return false;
  }

  // All entries in their order, or those of others.
  bool Drop(ir::Operation& picked) {
    const Ints entries = EntriesOf(picked);
    ir::Value* x = picked.operand(0);
    Ints all(static_cast<size_t>(LastOf(*x)));
    std::iota(all.begin(), all.end(), 0);
    if (entries == all) return Replace(picked, x);
    if (!IsPicked(x->producer())) return false;
    const Ints inner = EntriesOf(*x->producer());
    Ints both;
    for (const int64_t entry : entries) both.push_back(inner[static_cast<size_t>(entry)]);
    return Replace(picked, Picked(picked, x->producer()->operand(0), both));
  }

  // Weights of a reader, behind functions of each element, go where the entries come from.
  bool IntoReaders(ir::Operation& picked) {
    bool changed = false;
    const std::vector<ir::Use> uses(picked.result()->UsesUnsorted().begin(),
                                    picked.result()->UsesUnsorted().end());
    for (const ir::Use& use : uses) {
      std::vector<ir::Operation*> between;
      ir::Operation* reader = use.op;
      int index = use.index;
      while (KeepsLast(*reader) && IsAlone(*reader->result())) {
        between.push_back(reader);
        index = reader->result()->UsesUnsorted()[0].index;
        reader = reader->result()->UsesUnsorted()[0].op;
      }
      if (!IsSummed(*reader) || index != 0) continue;
      At(*reader);
      ir::Value* x = picked.operand(0);
      for (const ir::Operation* op : between) {
        x = Again(*op, x);
        if (x == nullptr) return true;
      }
      const Ints entries = EntriesOf(picked);
      const ir::Tensor& w = *reader->operand(1)->constant();
      const int64_t narrow = w.shape().back(), wide = LastOf(*picked.operand(0));
      Ints shape = w.shape();
      shape.back() = wide;
      Numbers scattered(static_cast<size_t>(w.size() / narrow * wide));
      for (int64_t i = 0; i < w.size(); ++i)
        scattered[static_cast<size_t>(
            i / narrow * wide + entries[static_cast<size_t>(i % narrow)])] += w.data<float>()[i];
      ir::Value* made = Create(*reader, {x, Constant(scattered, shape), reader->operand(2)});
      if (!Replace(*reader, made)) return true;
      changed = true;
    }
    return changed;
  }

  // Whether what comes before takes a choice of entries in, or is an input of the network.
  static bool EndsAbove(const ir::Value& value) {
    const ir::Operation* op = value.producer();
    if (value.constant() != nullptr || op == nullptr) return true;
    if (!IsAlone(value)) return false;
    if (IsSummed(*op) || IsPicked(op)) return true;
    if (IsAlike(*op)) return EndsAbove(*DataOf(*op));
    if (IsPair(*op)) return EndsAbove(*op->operand(0)) && EndsAbove(*op->operand(1));
    return StepOf(*op) == npu::Step::kJoin &&
           std::all_of(op->operands().begin(), op->operands().end(),
                       [](const ir::Value* operand) { return EndsAbove(*operand); });
  }

  bool Raise(ir::Operation& picked) {
    ir::Operation* op = picked.operand(0)->producer();
    if (op == nullptr) return false;
    At(picked);
    const Ints entries = EntriesOf(picked);
    if (IsSummed(*op)) {
      return Replace(picked, Create(*op, {op->operand(0), Chosen(*op->operand(1), entries),
                                          Chosen(*op->operand(2), entries)}));
    }
    if (StepOf(*op) == npu::Step::kScaled && HasNumbers(*op)) {
      ir::Value* x = Picked(picked, op->operand(0), entries);
      return Replace(picked, x == nullptr ? nullptr
                                          : Create(*op, {x, Chosen(*op->operand(1), entries),
                                                         Chosen(*op->operand(2), entries)}));
    }
    if (KeepsLast(*op)) {
      ir::Value* x = Picked(picked, const_cast<ir::Value*>(DataOf(*op)), entries);
      return Replace(picked, x == nullptr ? nullptr : Again(*op, x));
    }
    if (IsPair(*op)) {
      ir::Value* x = Picked(picked, op->operand(0), entries);
      ir::Value* z = Picked(picked, op->operand(1), entries);
      return Replace(picked, x == nullptr || z == nullptr ? nullptr : Create(*op, {x, z}));
    }
    return StepOf(*op) == npu::Step::kJoin && RaiseJoin(picked, *op, entries);
  }

  // Of what is joined along the last axis, entries of one part after the other.
  bool RaiseJoin(ir::Operation& picked, const ir::Operation& join, const Ints& entries) {
    const auto axis = static_cast<size_t>(std::get<int64_t>(join.attr(0)));
    std::vector<ir::Value*> parts;
    if (axis + 1 != join.result()->type().dims.size()) {
      for (ir::Value* operand : join.operands()) parts.push_back(Picked(picked, operand, entries));
    } else {
      Ints begins = {0};
      for (const ir::Value* operand : join.operands())
        begins.push_back(begins.back() + LastOf(*operand));
      const auto part_of = [&](int64_t entry) {
        return static_cast<size_t>(std::upper_bound(begins.begin(), begins.end(), entry) -
                                   begins.begin() - 1);
      };
      for (size_t i = 0; i < entries.size();) {
        const size_t part = part_of(entries[i]);
        Ints own;
        for (; i < entries.size() && part_of(entries[i]) == part; ++i)
          own.push_back(entries[i] - begins[part]);
        parts.push_back(Picked(picked, join.operand(part), own));
      }
    }
    if (std::find(parts.begin(), parts.end(), nullptr) != parts.end()) return true;
    if (parts.size() == 1) return Replace(picked, parts[0]);
    return Replace(picked, Create(join, parts));
  }

  void At(ir::Operation& op) {
    rewriter_.SetInsertionPoint(&op);
    rewriter_.SetLocation(op.location());
  }

  ir::Value* Constant(const Numbers& numbers, const Ints& shape) {
    return rewriter_.CreateConstant(
        ir::Tensor::Of<float>(ir::DType::kF32, shape, absl::MakeConstSpan(numbers)));
  }

  // Some of the first axis.
  ir::Value* Chosen(const ir::Value& value, const Ints& entries) {
    const ir::Tensor& tensor = *value.constant();
    Ints shape = tensor.shape();
    const int64_t each = tensor.size() / std::max<int64_t>(shape[0], 1);
    shape[0] = static_cast<int64_t>(entries.size());
    Numbers numbers;
    for (const int64_t entry : entries) {
      const float* from = tensor.data<float>() + entry * each;
      numbers.insert(numbers.end(), from, from + each);
    }
    return Constant(numbers, shape);
  }

  ir::Value* Made(absl::StatusOr<ir::Operation*> op) {
    if (op.ok()) return (*op)->result();
    status_ = op.status();
    return nullptr;
  }

  ir::Value* Create(const ir::Operation& like, std::vector<ir::Value*> operands) {
    return Made(rewriter_.Create(like.info(), std::move(operands),
                                 {like.attrs().begin(), like.attrs().end()}));
  }

  ir::Value* Picked(ir::Operation& picked, ir::Value* x, const Ints& entries) {
    At(picked);
    ir::Value* list = rewriter_.CreateConstant(ir::Tensor::Of<int64_t>(
        ir::DType::kI64, {static_cast<int64_t>(entries.size())}, absl::MakeConstSpan(entries)));
    return Made(
        rewriter_.Create(picked.info(), {x, list}, {picked.attrs().begin(), picked.attrs().end()}));
  }

  // An operation that keeps the last axis, of `x` in place of its data.
  ir::Value* Again(const ir::Operation& op, ir::Value* x) {
    std::vector<ir::Value*> operands(op.operands().begin(), op.operands().end());
    for (ir::Value*& operand : operands) {
      if (operand != nullptr && operand->constant() == nullptr) operand = x;
    }
    std::vector<ir::Attribute> attrs(op.attrs().begin(), op.attrs().end());
    if (op.info().role == ir::Role::kReshape)
      std::get<std::vector<ir::Expr>>(attrs[0]).back() = x->type().dims.back();
    if (StepOf(op) == npu::Step::kPart)
      std::get<std::vector<ir::Expr>>(attrs[1]).back() = x->type().dims.back();
    return Made(rewriter_.Create(op.info(), std::move(operands), std::move(attrs)));
  }

  // True also after an error, which ends the pass.
  bool Replace(ir::Operation& op, ir::Value* value) {
    if (value == nullptr) return true;
    if (absl::Status status = rewriter_.Replace(&op, {&value, 1}); !status.ok())
      status_ = std::move(status);
    return status_.ok();
  }

  ir::Graph& graph_;
  ir::Rewriter rewriter_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<passes::PassResult> SinkGathers(ir::Graph& graph, passes::PassContext&) {
  return Gathers(graph).Run();
}

}  // namespace tessera::npu
