#include "passes/compression/quantization/plan.h"

#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "passes/compression/quantization/dynamic_product.h"
#include "passes/compression/traits/traits.h"

namespace tessera::compression {
namespace {

using ir::Quantizable;

int64_t Normalized(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

// The axis of the constant at the point that becomes `axis` of the operand; -1: none alone does.
int64_t AxisOfConstant(const ir::Value* operand, int64_t axis, const ir::Value* constant) {
  for (const ir::Value* value = operand; value != constant;) {
    const ir::Operation& op = *value->producer();
    if (op.info().role != ir::Role::kTranspose) return -1;
    const auto* perm = std::get_if<std::vector<int64_t>>(&op.attr(0));
    if (perm == nullptr || axis >= static_cast<int64_t>(perm->size())) return -1;
    axis = (*perm)[static_cast<size_t>(axis)];
    value = op.operand(0);
  }
  return axis;
}

class Planner {
 public:
  Planner(const BuildContext& context, const ScopeFilter& filter, const PlanOptions& options)
      : context_(context), filter_(filter), options_(options) {}

  Plan Run() {
    using Extent = PlanOptions::Extent;
    std::set<const ir::Operation*> may_change;
    for (const ir::Operation* op : context_.graph.TopologicalOrder()) {
      const ir::QuantizeTrait& trait = TraitOf(op->info());
      if (trait.kind == Quantizable::kNever || op->payload() != nullptr) continue;
      if (trait.kind == Quantizable::kFine && !options_.fine) continue;
      if (trait.kind == Quantizable::kWeights) {
        if (MayChange(*op) && Product(*op, trait)) may_change.insert(op);
      } else if (options_.extent != Extent::kProducts && options_.activations && MayChange(*op)) {
        may_change.insert(op);
        if (options_.extent == Extent::kAll && IsElementwise(trait.kind) && !IsBias(*op))
          Elementwise(*op);
      }
    }
    if (options_.extent == Extent::kNetwork && options_.activations)
      PlanNetwork(context_, may_change, options_.outputs, plan_);
    return std::move(plan_);
  }

 private:
  bool Skip(const ir::Operation& op, std::string reason, std::string out_of_reach = "") {
    const std::string& scope = context_.addresses.Of(op).scope;
    plan_.skipped.push_back({&op, scope.empty() ? op.location().ToString() : scope,
                             std::move(reason), std::move(out_of_reach)});
    return false;
  }

  bool MayChange(const ir::Operation& op) {
    if (op.results().size() != 1) return false;
    if (op.result()->type().dtype != ir::DType::kF32) {
      const std::string type(ir::NameOf(op.result()->type().dtype));
      if (ir::IsFloat(op.result()->type().dtype))
        Skip(op, absl::StrCat("computes in ", type), absl::StrCat("in ", type));
      return false;
    }
    if (context_.addresses.Of(op).node == nullptr) {
      Skip(op, "stands in a function or a subgraph", "in functions or subgraphs");
      return false;
    }
    if (filter_.Contains(op)) return true;
    const std::string item = filter_.IgnoredBy(op);
    Skip(op, item.empty() ? "is in no target scope" : absl::StrCat("ignored by `", item, "`"));
    return false;
  }

  static bool IsElementwise(Quantizable kind) {
    return kind == Quantizable::kInputs || kind == Quantizable::kSums ||
           kind == Quantizable::kClamps;
  }

  void Activation(const ir::Operation& op, int index) {
    const std::optional<Point> point = PreHook(context_, op, index);
    if (!point) return;
    const auto [place, fresh] = by_value_.emplace(point->value, plan_.activations.size());
    if (fresh) plan_.activations.push_back({point->value, {}, plan_.ranges++});
    plan_.activations[place->second].points.push_back(*point);
  }

  // False: it stays as it is.
  bool Product(const ir::Operation& op, const ir::QuantizeTrait& trait) {
    const ir::Value* data = op.operand(static_cast<size_t>(trait.data));
    const ir::Value* weight = op.operand(static_cast<size_t>(trait.weight));
    if (IsDequantized(context_, *data) || IsDequantized(context_, *weight)) {
      const std::optional<BiasSite> bias = BiasOf(op, trait);
      if (bias && bias->op != &op) plan_.done_biases.insert(bias->op);
      return Skip(op, "is quantized already");
    }
    const bool pre_hooks = options_.activations && options_.extent != PlanOptions::Extent::kNetwork;
    const std::optional<Point> constant = WeightPoint(context_, op, trait.weight);
    const std::optional<Point> left = WeightPoint(context_, op, trait.data);
    if (constant && left) return Skip(op, "computes a constant");
    if (options_.activations) {
      std::string reason;
      if (!left && !PreHook(context_, op, trait.data))
        reason = "what it reads stands in no tensor of the file";
      if (!constant && !PreHook(context_, op, trait.weight))
        reason = "what it multiplies by stands in no tensor of the file";
      if (!reason.empty()) return Skip(op, reason);
    } else if (!constant && !left) {
      return Skip(op, "has no constant weights");
    }
    if (options_.dynamic) {
      if (left || !constant) return Skip(op, "has no constant weights on the right");
      const int64_t axis = Normalized(trait.axis, weight->type().rank());
      if (!IntegerFormOf(context_, op) || AxisOfConstant(weight, axis, constant->value) < 0)
        return Skip(op, "its node is no product that has a counterpart on integers");
    }
    if (pre_hooks) {
      if (!left) Activation(op, trait.data);
      if (!constant) Activation(op, trait.weight);
    }
    if (options_.weights && constant) {
      const int64_t axis = Normalized(trait.axis, weight->type().rank());
      plan_.weights.push_back({&op, *constant, AxisOfConstant(weight, axis, constant->value)});
    }
    if (options_.weights && left) plan_.weights.push_back({&op, *left, -1});
    plan_.products.push_back(&op);
    if (constant) {
      if (std::optional<BiasSite> bias = BiasOf(op, trait))
        plan_.biases.push_back(*std::move(bias));
    }
    return true;
  }

  // Nullopt: nothing can be added there.
  std::optional<BiasSite> BiasOf(const ir::Operation& op, const ir::QuantizeTrait& trait) const {
    BiasSite site;
    site.product = site.op = &op;
    site.result_axis = Normalized(trait.result_axis, op.result()->type().rank());
    if (trait.bias >= 0) {
      const ir::Value* bias = op.operand(static_cast<size_t>(trait.bias));
      if (bias == nullptr) {
        const Address& address = context_.addresses.Of(op);
        site.point = {Place::kPreHook,    &op, trait.bias, nullptr, address.scope,
                      address.node->name, ""};
        return site;
      }
      const std::optional<Point> point = WeightPoint(context_, op, trait.bias);
      if (!point || bias->constant() == nullptr) return std::nullopt;
      site.point = *point;
      site.present = bias->constant();
      return site;
    }
    // An addition that alone reads the product, as the node leaves it: importers split or join axes
    // before the last.
    const ir::Value* result = op.result();
    if (site.result_axis != result->type().rank() - 1) return std::nullopt;
    while (result->UsesUnsorted().size() == 1 && !result->is_graph_output()) {
      const ir::Operation& next = *result->UsesUnsorted()[0].op;
      const bool kept = next.info().role == ir::Role::kReshape && !result->type().dims.empty() &&
                        !next.result()->type().dims.empty() &&
                        next.result()->type().dims.back() == result->type().dims.back();
      if (!kept || context_.addresses.Of(next).node != context_.addresses.Of(op).node) break;
      result = next.result();
    }
    if (result->UsesUnsorted().size() != 1 || result->is_graph_output()) return std::nullopt;
    const ir::Use use = result->UsesUnsorted()[0];
    if (TraitOf(use.op->info()).kind != Quantizable::kSums) return std::nullopt;
    const int other = 1 - use.index;
    const ir::Value* bias = use.op->operand(static_cast<size_t>(other));
    if (bias == nullptr || bias->constant() == nullptr) return std::nullopt;
    // One entry per channel, the last axis.
    const std::vector<int64_t>& shape = bias->constant()->shape();
    if (bias->constant()->size() != (shape.empty() ? 1 : shape.back())) return std::nullopt;
    const std::optional<Point> point = WeightPoint(context_, *use.op, other);
    if (!point) return std::nullopt;
    site.op = use.op;
    site.result_axis = use.op->result()->type().rank() - 1;
    site.point = *point;
    site.present = bias->constant();
    return site;
  }

  bool IsBias(const ir::Operation& op) const {
    for (const BiasSite& site : plan_.biases) {
      if (site.op == &op) return true;
    }
    return false;
  }

  void Elementwise(const ir::Operation& op) {
    int variable = 0;
    for (size_t i = 0; i < op.operands().size(); ++i) {
      const ir::Value* operand = op.operand(i);
      variable += operand != nullptr && operand->constant() == nullptr &&
                          operand->type().dtype == ir::DType::kF32
                      ? 1
                      : 0;
    }
    // What scales or shifts by constants has nothing to gain.
    if (variable < 2 && op.operands().size() > 1) return;
    for (size_t i = 0; i < op.operands().size(); ++i) {
      const ir::Value* operand = op.operand(i);
      if (operand == nullptr || operand->type().dtype != ir::DType::kF32 ||
          IsDequantized(context_, *operand))
        continue;
      Activation(op, static_cast<int>(i));
    }
  }

  const BuildContext& context_;
  const ScopeFilter& filter_;
  const PlanOptions& options_;
  Plan plan_;
  std::map<const ir::Value*, size_t> by_value_;
};

}  // namespace

bool IsDequantized(const BuildContext& context, const ir::Value& value) {
  const ir::Operation* op = value.producer();
  const SourceNode* node = op == nullptr ? nullptr : context.addresses.Of(*op).node;
  for (; op != nullptr && node != nullptr && context.addresses.Of(*op).node == node;
       op = op->operand(0)->producer()) {
    if (TraitOf(op->info()).kind == Quantizable::kDequantizes) return true;
    if (op->operands().empty() || op->operand(0) == nullptr) return false;
  }
  return false;
}

std::string OutOfReach(const std::vector<Skipped>& skipped) {
  std::map<std::string, int> counts;
  for (const Skipped& one : skipped) {
    if (!one.out_of_reach.empty()) ++counts[one.out_of_reach];
  }
  std::vector<std::string> texts;
  for (const auto& [where, count] : counts) texts.push_back(absl::StrCat(count, " ", where));
  return texts.empty() ? "" : absl::StrCat(" (", absl::StrJoin(texts, ", "), ")");
}

Plan MakePlan(const BuildContext& context, const ScopeFilter& filter, const PlanOptions& options) {
  return Planner(context, filter, options).Run();
}

}  // namespace tessera::compression
