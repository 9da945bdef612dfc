#include "targets/npu/legalization/integers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ir/loops.h"
#include "ir/rewriter.h"
#include "nests/library.h"
#include "passes/fold.h"
#include "passes/lower.h"
#include "targets/npu/legalization/layers.h"

namespace tessera::npu {
namespace {

constexpr double kMostWhole = 16777216;  // up to which floats have all whole numbers

// Of quantized values and their sums; indices and sizes are others.
bool IsQuantized(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kI8:
    case ir::DType::kU8:
    case ir::DType::kI16:
    case ir::DType::kU16:
    case ir::DType::kI32:
      return true;
    default:
      return false;
  }
}

ir::DType TypeOf(const ir::Value& value) { return value.type().dtype; }

// The same elements in another type.
bool IsConversion(const ir::Operation& op) {
  return op.info().elementwise && op.operands().size() == 1 && op.results().size() == 1 &&
         std::any_of(op.attrs().begin(), op.attrs().end(), [&](const ir::Attribute& attr) {
           const auto* to = std::get_if<ir::DType>(&attr);
           return to != nullptr && *to == TypeOf(*op.result());
         });
}

// From floats to integers or back, by a scale.
bool Quantizes(const ir::Operation& op) {
  if (op.info().role != ir::Role::kNone || op.operands().size() < 2 || op.results().size() != 1 ||
      op.operand(0) == nullptr || ir::IsLoopOp(op))
    return false;
  const ir::DType from = TypeOf(*op.operand(0)), to = TypeOf(*op.result());
  return (from == ir::DType::kF32 && IsQuantized(to)) ||
         (IsQuantized(from) && to == ir::DType::kF32);
}

bool IsWhole(const ir::Tensor& tensor) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double value = tensor.AsDouble(i);
    if (value != std::floor(value) || std::abs(value) > kMostWhole) return false;
  }
  return true;
}

// Whether an expression is whole if all that it reads is, and the same of integers as of floats.
bool KeepsWhole(const nests::Scalar& scalar) {
  if (scalar.IsNone()) return true;
  const nests::ScalarNode& node = *scalar;
  using Kind = nests::ScalarNode;
  using nests::Function;
  switch (node.kind) {
    case Kind::kLiteral:
      return !nests::IsFloat(node.literal.number) ||
             node.literal.f == std::floor(node.literal.f);  // infinite ones too
    case Kind::kIndex:
      return true;
    case Kind::kReduce:
      if (node.reduction == nests::Reduction::kAny || node.reduction == nests::Reduction::kAll)
        return false;
      break;
    case Kind::kCall: {
      static const auto* const kWhole = new std::set<Function>{
          Function::kAdd, Function::kSub, Function::kMul,    Function::kMin, Function::kMax,
          Function::kNeg, Function::kAbs, Function::kSelect, Function::kEq,  Function::kNe,
          Function::kLt,  Function::kLe,  Function::kGt,     Function::kGe};
      if (kWhole->count(node.function) == 0) return false;
      break;
    }
    case Kind::kCast:
      if (!nests::IsFloat(node.number) && nests::IsFloat(node.args[0]->number)) return false;
      break;
    case Kind::kRead:
    case Kind::kChoose:
    case Kind::kWithin:
      break;
  }
  return std::all_of(node.args.begin(), node.args.end(), KeepsWhole);
}

class Floats {
 public:
  explicit Floats(ir::Graph& graph) : graph_(graph), rewriter_(graph) {}

  absl::StatusOr<int> Run() {
    int replaced = 0;
    for (ir::Operation* op : graph_.TopologicalOrder()) {
      if (op->results().size() != 1 || ir::IsLoopOp(*op)) continue;
      ir::Value* result = op->result();
      rewriter_.SetInsertionPoint(op);
      rewriter_.SetLocation(op->location());
      const bool converts = IsConversion(*op);
      if (converts && IsQuantized(TypeOf(*op->operand(0))) && TypeOf(*result) == ir::DType::kF32) {
        ir::Value* as_float = FloatOf(op->operand(0));
        whole_[result] = true;
        if (as_float == nullptr) continue;
        whole_[as_float] = true;
        if (absl::Status s = rewriter_.Replace(op, {&as_float, 1}); !s.ok()) return s;
        ++replaced;
        continue;
      }
      if (TypeOf(*result) == ir::DType::kF32) {
        whole_[result] = StaysWhole(*op);
        continue;
      }
      if (!IsQuantized(TypeOf(*result))) continue;
      if (converts) {
        ir::Value* x = op->operand(0);
        if (TypeOf(*x) == ir::DType::kF32 && whole_[x]) float_of_[result] = x;
        // To a type that has all of the numbers.
        if (IsQuantized(TypeOf(*x)) && TypeOf(*result) == ir::DType::kI32) {
          if (ir::Value* as_float = FloatOf(x); as_float != nullptr) float_of_[result] = as_float;
        }
        continue;
      }
      if (op->info().role == ir::Role::kConstant || !SameInFloats(*op)) continue;
      std::vector<ir::Value*> operands;
      for (ir::Value* operand : op->operands()) {
        const bool moved = operand != nullptr && IsQuantized(TypeOf(*operand));
        operands.push_back(moved ? FloatOf(operand) : operand);
        if (moved && operands.back() == nullptr) break;
      }
      if (operands.size() != op->operands().size() || operands.empty() ||
          operands.back() == nullptr)
        continue;
      absl::StatusOr<ir::Operation*> made = rewriter_.Create(
          op->info(), std::move(operands), {op->attrs().begin(), op->attrs().end()});
      if (!made.ok() || TypeOf(*(*made)->result()) != ir::DType::kF32) continue;
      float_of_[result] = (*made)->result();
      whole_[(*made)->result()] = true;
    }
    rewriter_.EraseUnused();
    return replaced;
  }

 private:
  // The floats that are the integers; null: there are none.
  ir::Value* FloatOf(ir::Value* value) {
    const auto known = float_of_.find(value);
    if (known != float_of_.end()) return known->second;
    const ir::Tensor* constant = value->constant();
    if (constant == nullptr || !IsWhole(*constant)) return nullptr;
    std::vector<float> numbers;
    for (int64_t i = 0; i < constant->size(); ++i)
      numbers.push_back(static_cast<float>(constant->AsDouble(i)));
    return float_of_[value] = rewriter_.CreateConstant(ir::Tensor::Of<float>(
               ir::DType::kF32, constant->shape(), absl::MakeConstSpan(numbers)));
  }

  // By what its definition computes.
  bool SameInFloats(const ir::Operation& op) {
    if (op.info().role == ir::Role::kReshape || op.info().role == ir::Role::kTranspose) return true;
    const absl::StatusOr<nests::Computation> computation =
        nests::ComputationOf(op, graph_.context());
    if (!computation.ok()) return false;
    return std::all_of(computation->nests.begin(), computation->nests.end(),
                       [](const nests::Nest& nest) { return KeepsWhole(nest.body); });
  }

  bool StaysWhole(const ir::Operation& op) {
    if (op.info().role == ir::Role::kConstant) return IsWhole(*op.result()->constant());
    if (const auto range = RoundedRangeOf(*op.result()); range.has_value())
      return range->step == std::floor(range->step) && range->low == std::floor(range->low);
    for (const ir::Value* operand : op.operands()) {
      if (operand == nullptr || TypeOf(*operand) != ir::DType::kF32) continue;
      const ir::Tensor* constant = operand->constant();
      if (constant != nullptr ? !IsWhole(*constant) : !whole_[operand]) return false;
    }
    return SameInFloats(op);
  }

  ir::Graph& graph_;
  ir::Rewriter rewriter_;
  std::map<const ir::Value*, ir::Value*> float_of_;
  std::map<const ir::Value*, bool> whole_;  // of floats
};

}  // namespace

absl::StatusOr<passes::PassResult> IntegersAsFloats(ir::Graph& graph,
                                                    passes::PassContext& context) {
  std::vector<passes::Refusal> refusals;  // asked for again in the end
  if (absl::Status s = passes::LowerOnce(graph, kDialect, Quantizes, context, refusals); !s.ok())
    return s;
  if (absl::Status s = passes::FoldConstants(graph, context).status(); !s.ok()) return s;
  const absl::StatusOr<int> replaced = Floats(graph).Run();
  if (!replaced.ok()) return replaced.status();
  passes::PassResult result;
  result.rewrites = *replaced;
  result.unsure = true;
  return result;
}

}  // namespace tessera::npu
