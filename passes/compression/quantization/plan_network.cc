#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "passes/compression/quantization/plan.h"
#include "passes/compression/traits/traits.h"

namespace tessera::compression {
namespace {

using ir::Quantizable;

bool Varies(const ir::Value* value) {
  return value != nullptr && value->constant() == nullptr && value->type().dtype == ir::DType::kF32;
}

int VaryingOperands(const ir::Operation& op) {
  int count = 0;
  for (const ir::Value* operand : op.operands()) count += Varies(operand) ? 1 : 0;
  return count;
}

// Sets of values that have one grid.
class Grids {
 public:
  int Of(const ir::Value* value) {
    const auto [place, fresh] = ids_.emplace(value, static_cast<int>(parents_.size()));
    if (fresh) parents_.push_back(place->second);
    return Root(place->second);
  }
  void Join(const ir::Value* a, const ir::Value* b) {
    // Both first: they may be new.
    const int left = Of(a), right = Of(b);
    parents_[static_cast<size_t>(std::max(left, right))] = std::min(left, right);
  }

 private:
  int Root(int id) {
    while (parents_[static_cast<size_t>(id)] != id) id = parents_[static_cast<size_t>(id)];
    return id;
  }
  std::map<const ir::Value*, int> ids_;
  std::vector<int> parents_;
};

class Network {
 public:
  Network(const BuildContext& context, const std::set<const ir::Operation*>& may_change,
          bool outputs, Plan& plan)
      : context_(context),
        may_change_(may_change),
        outputs_(outputs),
        plan_(plan),
        biases_(plan.done_biases) {
    // A product that adds its bias itself is none: what another yields to it is read as data.
    for (const BiasSite& site : plan.biases) {
      if (site.op != site.product) biases_.insert(site.op);
    }
    for (const WeightSite& site : plan.weights)
      stored_.emplace(site.point.value, site.point.tensor);
  }

  void Run() {
    const std::vector<ir::Operation*> order = context_.graph.TopologicalOrder();
    for (const ir::Operation* op : order) Look(*op);
    if (outputs_) {
      for (const ir::Value* output : context_.graph.outputs()) Want(output);
    }
    std::set<int> wanted;
    for (const ir::Value* value : wanted_) wanted.insert(grids_.Of(value));
    for (const ir::Value* input : context_.graph.inputs()) Place(*input, wanted);
    for (const ir::Operation* op : order) {
      for (const ir::Value* result : op->results()) Place(*result, wanted);
    }
    plan_.ranges = static_cast<int>(ranges_.size());
  }

 private:
  void Want(const ir::Value* value) {
    if (Varies(value) && !Within(*value)) wanted_.insert(value);
  }

  static Quantizable KindOf(const ir::Operation& op) {
    const Quantizable kind = TraitOf(op.info()).kind;
    if (kind != Quantizable::kClamps) return kind;
    return VaryingOperands(op) == 1 ? kind : Quantizable::kInputs;
  }

  // Nothing but one operation reads it, which is part of the one that makes it: a bias, a clamp.
  bool Within(const ir::Value& value) const {
    if (value.producer() == nullptr || value.is_graph_output()) return false;
    const absl::Span<const ir::Use> uses = value.UsesUnsorted();
    if (uses.size() != 1 || !may_change_.contains(uses[0].op)) return false;
    // What one node is imported as is one thing.
    const SourceNode* node = context_.addresses.Of(*value.producer()).node;
    const auto agnostic = [&](const ir::Operation* op) {
      return op != nullptr && TraitOf(op->info()).kind == Quantizable::kAgnostic &&
             context_.addresses.Of(*op).node == node;
    };
    if (agnostic(uses[0].op)) return Within(*uses[0].op->result());
    const ir::Operation* maker = value.producer();
    while (agnostic(maker)) {
      const ir::Value* data = maker->operand(static_cast<size_t>(TraitOf(maker->info()).data));
      if (data->producer() == nullptr || context_.addresses.Of(*data->producer()).node != node)
        break;
      maker = data->producer();
    }
    const Quantizable made = KindOf(*maker);
    if (biases_.contains(uses[0].op)) return made == Quantizable::kWeights;
    return KindOf(*uses[0].op) == Quantizable::kClamps &&
           (made == Quantizable::kWeights || made == Quantizable::kSums ||
            made == Quantizable::kInputs || made == Quantizable::kClamps);
  }

  // All nodes that read it make codes of it: what has been quantized before.
  bool IsRounded(const ir::Value& value) const {
    const absl::Span<const ir::Use> uses = value.UsesUnsorted();
    return !value.is_graph_output() && !uses.empty() &&
           std::all_of(uses.begin(), uses.end(), [&](const ir::Use& use) { return Rounds(use); });
  }

  // What a node converts before it makes codes is part of that.
  bool Rounds(const ir::Use& use) const {
    const ir::QuantizeTrait& trait = TraitOf(use.op->info());
    if (trait.kind == Quantizable::kQuantizes) return use.index == trait.data;
    const SourceNode* node = context_.addresses.Of(*use.op).node;
    if (node == nullptr || use.op->results().size() != 1) return false;
    const absl::Span<const ir::Use> next = use.op->result()->UsesUnsorted();
    return next.size() == 1 && context_.addresses.Of(*next[0].op).node == node && Rounds(next[0]);
  }

  void Look(const ir::Operation& op) {
    if (op.payload() != nullptr || !may_change_.contains(&op)) return;
    const ir::QuantizeTrait& trait = TraitOf(op.info());
    switch (KindOf(op)) {
      case Quantizable::kNever:
      case Quantizable::kQuantizes:
      case Quantizable::kDequantizes:
        return;
      case Quantizable::kAgnostic: {
        const ir::Value* data = op.operand(static_cast<size_t>(trait.data));
        if (Varies(data) && Varies(op.result())) grids_.Join(data, op.result());
        return;
      }
      case Quantizable::kUnified:
        for (size_t i = static_cast<size_t>(trait.data); i < op.operands().size(); ++i) {
          if (!Varies(op.operand(i))) continue;
          Want(op.operand(i));
          grids_.Join(op.operand(i), op.result());
        }
        Want(op.result());
        return;
      case Quantizable::kWeights:
      case Quantizable::kClamps:
      case Quantizable::kFine:
        break;
      case Quantizable::kInputs:
      case Quantizable::kSums:
        if (!biases_.contains(&op)) StoreConstants(op);
        break;
    }
    for (const ir::Value* operand : op.operands()) Want(operand);
    Want(op.result());
  }

  // What is added or multiplied elementwise is stored like the values that it meets.
  void StoreConstants(const ir::Operation& op) {
    for (size_t i = 0; i < op.operands().size(); ++i) {
      const ir::Value* operand = op.operand(i);
      if (operand == nullptr || operand->type().dtype != ir::DType::kF32) continue;
      const std::optional<Point> point = WeightPoint(context_, op, static_cast<int>(i));
      if (!point || !stored_.emplace(point->value, point->tensor).second) continue;
      plan_.weights.push_back({&op, *point, -1, true});
    }
  }

  void Place(const ir::Value& value, const std::set<int>& wanted) {
    if (!Varies(&value) || Within(value) || !wanted.contains(grids_.Of(&value))) return;
    const ir::Operation* producer = value.producer();
    if (IsDequantized(context_, value) || IsRounded(value)) return;
    ActivationSite site;
    site.value = &value;
    if (producer != nullptr && (value.is_graph_output() || !value.UsesUnsorted().empty())) {
      for (size_t i = 0; i < producer->results().size(); ++i) {
        if (producer->results()[i] != &value) continue;
        const std::optional<Point> point = PostHook(context_, *producer, static_cast<int>(i));
        if (point) site.points.push_back(*point);
      }
    } else if (producer == nullptr) {
      for (const ir::Use& use : value.UsesUnsorted()) {
        const std::optional<Point> point = PreHook(context_, *use.op, use.index);
        if (point) site.points.push_back(*point);
      }
      std::sort(site.points.begin(), site.points.end(), [](const Point& a, const Point& b) {
        return std::pair(a.op->id(), a.index) < std::pair(b.op->id(), b.index);
      });
    }
    if (site.points.empty()) return;
    site.range = ranges_.emplace(grids_.Of(&value), static_cast<int>(ranges_.size())).first->second;
    plan_.activations.push_back(std::move(site));
  }

  const BuildContext& context_;
  const std::set<const ir::Operation*>& may_change_;
  bool outputs_;
  Plan& plan_;
  Grids grids_;
  std::set<const ir::Value*> wanted_;
  // By the tensor of the file that is read: several may be one constant.
  std::set<std::pair<const ir::Value*, std::string>> stored_;
  std::set<const ir::Operation*> biases_;
  std::map<int, int> ranges_;
};

}  // namespace

void PlanNetwork(const BuildContext& context, const std::set<const ir::Operation*>& may_change,
                 bool outputs, Plan& plan) {
  Network(context, may_change, outputs, plan).Run();
}

}  // namespace tessera::compression
