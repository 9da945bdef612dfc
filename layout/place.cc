#include "layout/place.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "layout/commuting.h"
#include "layout/permutation.h"
#include "layout/plan.h"

namespace tessera::layout {
namespace {

using ir::Expr;
using ir::Operation;
using ir::Value;

class Placement {
 public:
  Placement(ir::Graph& graph, std::string_view dialect, const MoveCost& cost)
      : graph_(graph),
        rewriter_(graph),
        plan_(graph, cost),
        transpose_(ir::Registry::Global().WithRole(dialect, ir::Role::kTranspose)),
        reshape_(ir::Registry::Global().WithRole(dialect, ir::Role::kReshape)) {}

  absl::StatusOr<bool> Run() {
    if (transpose_ == nullptr || reshape_ == nullptr) {
      return absl::InternalError("the dialect has no transpose or no reshape");
    }
    plan_.Improve();
    for (Operation* op : graph_.TopologicalOrder()) {
      if (op->info().role == ir::Role::kConstant) continue;
      if (absl::Status status = Place(*op); !status.ok()) return status;
    }
    rewriter_.SetInsertionPoint(nullptr);
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      Value* output = graph_.outputs()[i];
      if (output->producer() != nullptr) rewriter_.SetLocation(output->producer()->location());
      const LayoutPlan::Source source = LayoutPlan::SourceOf(output);
      absl::StatusOr<Value*> value = InOrder(source.root, source.order);
      if (!value.ok()) return value.status();
      if (*value == output) continue;
      // An input keeps its own.
      if ((*value)->producer() != nullptr) rewriter_.SetName(*value, output->name());
      changed_ = true;
      if (absl::Status status = rewriter_.SetOutput(i, *value); !status.ok()) return status;
    }
    rewriter_.EraseUnused();
    return changed_;
  }

 private:
  struct Placed {
    Value* value;
    Permutation order;  // value = T(what was there before, order)
  };

  absl::Status Place(Operation& op) {
    rewriter_.SetInsertionPoint(&op);
    rewriter_.SetLocation(op.location());
    if (const auto p = PermutationOf(&op)) {
      // Stays what it is if somebody still wants it so.
      if (placed_.count(op.operand(0)->id()) == 0 && !KeepsOrder(*p, op.operand(0)->type().dims)) {
        moved_.insert({{op.operand(0)->id(), *p}, op.result()});
      }
      return absl::OkStatus();
    }
    const Commuting* commuting = plan_.CommutingFor(&op);
    const Permutation order = plan_.OrderOf(&op);
    const bool stays = commuting == nullptr || IsIdentity(order);
    std::vector<Value*> operands(op.operands().begin(), op.operands().end());
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == nullptr) continue;
      const LayoutPlan::Source source = LayoutPlan::SourceOf(operands[i]);
      const auto among = [i](const std::vector<size_t>& list) {
        return std::find(list.begin(), list.end(), i) != list.end();
      };
      const bool follows = !stays && among(commuting->moved);
      absl::StatusOr<Value*> value =
          InOrder(source.root, follows ? Then(source.order, order) : source.order);
      if (value.ok() && !stays && among(commuting->broadcast)) value = WithUnitAxes(*value, order);
      if (!value.ok()) return value.status();
      operands[i] = *value;
    }
    if (stays) {
      for (size_t i = 0; i < operands.size(); ++i) {
        if (operands[i] == op.operand(i)) continue;
        absl::Status status = rewriter_.SetOperand(&op, static_cast<int>(i), operands[i]);
        if (!status.ok()) return status;
        changed_ = true;
      }
      return absl::OkStatus();
    }
    absl::StatusOr<Operation*> moved = Recreate(op, order, std::move(operands), rewriter_);
    if (!moved.ok()) return moved.status();
    rewriter_.SetName((*moved)->result(), op.result()->name());
    changed_ = true;
    placed_[op.result()->id()] = {(*moved)->result(), *commuting->ResultOrder(order)};
    return absl::OkStatus();
  }

  // T(root, order) out of what now stands for `root`.
  absl::StatusOr<Value*> InOrder(Value* root, const Permutation& order) {
    const auto placed = placed_.find(root->id());
    if (placed == placed_.end()) return Moved(root, order);
    return Moved(placed->second.value, Then(Inverse(placed->second.order), order));
  }

  absl::StatusOr<Value*> WithUnitAxes(Value* value, const Permutation& order) {
    std::vector<Expr> dims(order.size() - value->type().dims.size(), Expr(1));
    dims.insert(dims.end(), value->type().dims.begin(), value->type().dims.end());
    absl::StatusOr<Value*> full = Reshaped(value, dims);
    return full.ok() ? Moved(*full, order) : full;
  }

  absl::StatusOr<Value*> Moved(Value* value, const Permutation& order) {
    if (IsIdentity(order)) return value;
    const auto known = moved_.find({value->id(), order});
    if (known != moved_.end()) return known->second;
    absl::StatusOr<Value*> result;
    if (KeepsOrder(order, value->type().dims)) {
      result = Reshaped(value, Permuted(value->type().dims, order));
    } else {
      std::vector<Expr> elements(order.begin(), order.end());
      result = Create(*transpose_, value, std::move(elements));
    }
    if (result.ok()) moved_.insert({{value->id(), order}, *result});
    return result;
  }

  absl::StatusOr<Value*> Reshaped(Value* value, const std::vector<Expr>& dims) {
    return dims == value->type().dims ? value : Create(*reshape_, value, dims);
  }

  // The list is the second operand, or else the first attribute.
  absl::StatusOr<Value*> Create(const ir::OpInfo& info, Value* value, std::vector<Expr> list) {
    std::vector<Value*> operands = {value};
    std::vector<ir::Attribute> attrs(info.attrs.size());
    if (info.operands.size() > 1) {
      const int64_t size = static_cast<int64_t>(list.size());
      absl::StatusOr<Value*> operand =
          rewriter_.CreateSymbolicConstant(ir::DType::kI32, {size}, std::move(list));
      if (!operand.ok()) return operand.status();
      operands.push_back(*operand);
    } else if (info.role == ir::Role::kTranspose) {
      std::vector<int64_t> order;
      for (const Expr& axis : list) order.push_back(*axis.Constant());
      attrs[0] = std::move(order);
    } else {
      attrs[0] = std::move(list);
    }
    absl::StatusOr<Operation*> op = rewriter_.Create(info, std::move(operands), std::move(attrs));
    if (!op.ok()) return op.status();
    return (*op)->result();
  }

  ir::Graph& graph_;
  ir::Rewriter rewriter_;
  LayoutPlan plan_;
  const ir::OpInfo* transpose_;
  const ir::OpInfo* reshape_;
  bool changed_ = false;
  // By the ids of values: an address may come back when an operation has gone.
  std::map<int, Placed> placed_;
  std::map<std::pair<int, Permutation>, Value*> moved_;
};

}  // namespace

absl::StatusOr<bool> PlaceTransposes(ir::Graph& graph, std::string_view dialect,
                                     const MoveCost& cost) {
  // A plan begins at those that are there.
  const std::vector<Operation*> ops = graph.TopologicalOrder();
  const bool any = std::any_of(ops.begin(), ops.end(), [](const Operation* op) {
    return op->info().role == ir::Role::kTranspose;
  });
  if (!any) return false;
  return Placement(graph, dialect, cost).Run();
}

}  // namespace tessera::layout
