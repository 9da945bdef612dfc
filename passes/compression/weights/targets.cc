#include "passes/compression/weights/targets.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "passes/compression/quantization/plain_product.h"
#include "passes/compression/quantization/plan.h"
#include "passes/compression/traits/traits.h"

namespace tessera::compression {
namespace {

// A constant of which an operation picks elements by something that is not constant.
std::vector<WeightTarget> Tables(const BuildContext& context, const ScopeFilter& filter) {
  std::vector<WeightTarget> tables;
  for (const ir::Operation* op : context.graph.TopologicalOrder()) {
    const ir::QuantizeTrait& trait = TraitOf(op->info());
    if (trait.kind != ir::Quantizable::kAgnostic || op->operands().size() < 2) continue;
    const ir::Value* data = op->operand(static_cast<size_t>(trait.data));
    if (data == nullptr || data->constant() == nullptr || data->type().rank() != 2 ||
        data->type().dtype != ir::DType::kF32 || !filter.Contains(*op))
      continue;
    const bool varies =
        std::any_of(op->operands().begin(), op->operands().end(), [](const ir::Value* operand) {
          return operand != nullptr && operand->constant() == nullptr;
        });
    const std::optional<Point> point =
        varies ? WeightPoint(context, *op, trait.data) : std::nullopt;
    if (!point) continue;
    WeightTarget table;
    table.op = op;
    table.point = *point;
    table.operand = trait.data;
    table.table = true;
    tables.push_back(std::move(table));
  }
  return tables;
}

std::set<const ir::Operation*> LastProducts(const ir::Graph& graph) {
  std::set<const ir::Value*> read;  // by a product, on whatever way
  std::set<const ir::Operation*> last;
  std::vector<ir::Operation*> order = graph.TopologicalOrder();
  std::reverse(order.begin(), order.end());
  for (const ir::Operation* op : order) {
    const bool product = TraitOf(op->info()).kind == ir::Quantizable::kWeights;
    const bool behind = std::any_of(op->results().begin(), op->results().end(),
                                    [&](const ir::Value* result) { return read.contains(result); });
    if (product && !behind) last.insert(op);
    if (!product && !behind) continue;
    for (const ir::Value* operand : op->operands()) {
      if (operand != nullptr) read.insert(operand);
    }
  }
  return last;
}

}  // namespace

absl::StatusOr<WeightTargets> FindWeights(const BuildContext& context, const ScopeFilter& filter) {
  PlanOptions options;
  options.activations = false;
  const Plan plan = MakePlan(context, filter, options);
  const std::set<const ir::Operation*> last = LastProducts(context.graph);
  WeightTargets found;
  found.out_of_reach = OutOfReach(plan.skipped);
  for (const Skipped& skipped : plan.skipped) found.left.push_back({skipped.scope, skipped.reason});
  std::map<const ir::Value*, size_t> seen;
  const auto add = [&](WeightTarget target) -> absl::Status {
    const auto [first, fresh] = seen.emplace(target.point.value, found.targets.size());
    if (!fresh) {
      WeightTarget& before = found.targets[first->second];
      if (before.axis == target.axis) {
        before.others.push_back(target.point);
      } else {
        found.left.push_back({target.point.scope,
                              "reads along another axis a weight that another "
                              "operation reads too"});
      }
      return absl::OkStatus();
    }
    const ir::Tensor& weight = *target.point.value->constant();
    const float* data = weight.data<float>();
    const bool finite =
        std::all_of(data, data + weight.size(), [](float x) { return std::isfinite(x); });
    if (!finite)
      return absl::InvalidArgumentError(
          absl::StrCat("weight `", target.point.tensor, "` of `", target.point.scope,
                       "` has elements that are infinite or not a number"));
    found.targets.push_back(std::move(target));
    return absl::OkStatus();
  };
  for (WeightTarget& table : Tables(context, filter)) {
    if (absl::Status status = add(std::move(table)); !status.ok()) return status;
  }
  for (const WeightSite& site : plan.weights) {
    if (site.axis < 0) {
      found.left.push_back({site.point.scope, "its channels are no axis of the weight"});
      continue;
    }
    WeightTarget target;
    target.op = site.op;
    target.point = site.point;
    target.axis = site.axis;
    target.operand = TraitOf(site.op->info()).weight;
    target.matrix = IsMatrixProduct(*site.op);
    target.last = last.contains(site.op);
    if (absl::Status status = add(std::move(target)); !status.ok()) return status;
  }
  return found;
}

}  // namespace tessera::compression
