#include "targets/circle/lowering/fuse_activations.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "passes/replace_results.h"

namespace tessera::circle {
namespace {

using ir::Operation;

constexpr char kAttribute[] = "fused_activation_function";

// The value of `op`'s attribute that stands for `activation`.
std::optional<int64_t> Ordinal(const Operation& op, int attribute, std::string_view activation) {
  const auto& names = op.info().attrs[static_cast<size_t>(attribute)].enum_names;
  const auto found = std::find(names.begin(), names.end(), activation);
  if (found == names.end()) return std::nullopt;
  return found - names.begin();
}

}  // namespace

absl::StatusOr<passes::PassResult> FuseActivations(ir::Graph& graph, passes::PassContext& context) {
  passes::PassResult result;
  ir::Rewriter rewriter(graph);
  for (Operation* op : graph.TopologicalOrder()) {
    if (context.rewrites_left <= 0) break;
    if (op->operands().size() != 1 || op->results().size() != 1 || !op->info().elementwise)
      continue;
    Operation* before = op->operand(0)->producer();
    if (before == nullptr || before->results().size() != 1 || ir::UseCount(op->operand(0)) != 1 ||
        !ir::IsFloat(op->operand(0)->type().dtype)) {
      continue;
    }
    const int attribute = ir::FindAttr(before->info(), kAttribute);
    if (attribute < 0 || std::get<int64_t>(before->attr(static_cast<size_t>(attribute))) != 0)
      continue;
    const std::optional<int64_t> fused = Ordinal(*before, attribute, op->info().name);
    if (!fused.has_value()) continue;
    std::vector<ir::Attribute> attrs(before->attrs().begin(), before->attrs().end());
    attrs[static_cast<size_t>(attribute)] = *fused;
    rewriter.SetInsertionPoint(op);
    rewriter.SetLocation(ir::Location::Merge({&before->location(), &op->location()}));
    absl::StatusOr<Operation*> created = rewriter.Create(
        before->info(), {before->operands().begin(), before->operands().end()}, std::move(attrs));
    if (!created.ok()) return created.status();
    rewriter.SetName((*created)->result(), op->result()->name());
    if (absl::Status status = passes::ReplaceResults(rewriter, *op, {(*created)->result()});
        !status.ok())
      return status;
    ++result.rewrites;
    --context.rewrites_left;
  }
  result.changed = result.rewrites > 0;
  return result;
}

}  // namespace tessera::circle
