#include "passes/common_subexpressions.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "ir/rewriter.h"
#include "passes/replace_results.h"

namespace tessera::passes {
namespace {

template <class T>
void AppendBytes(T value, std::string& key) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Equal for two operations only if they yield the same. The number of operands comes before them,
// so that what follows is not taken for one.
void SetKey(const ir::Operation& op, std::string& key) {
  key.clear();
  AppendBytes(&op.info(), key);
  AppendBytes(op.operands().size(), key);
  for (const ir::Value* operand : op.operands())
    AppendBytes(operand == nullptr ? -1 : operand->id(), key);
  for (size_t i = 0; i < op.attrs().size(); ++i)
    absl::StrAppend(&key, ";", ir::ToString(op.attr(i), op.info().attrs[i]));
  if (const ir::Tensor* tensor = op.payload()) {
    absl::StrAppend(&key, "|", static_cast<int>(tensor->dtype()));
    for (int64_t dim : tensor->shape()) absl::StrAppend(&key, "x", dim);
    if (ir::IsLarge(*tensor)) {
      absl::StrAppend(&key, "@", reinterpret_cast<uintptr_t>(tensor->place()));
    } else {
      const absl::Span<const uint8_t> bytes = tensor->bytes();
      key.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
  }
}

bool YieldsAnOutput(const ir::Operation& op) {
  for (const ir::Value* result : op.results()) {
    if (result->is_graph_output()) return true;
  }
  return false;
}

absl::StatusOr<PassResult> Merge(ir::Graph& graph, PassContext& context, bool keeps_outputs) {
  PassResult result;
  ir::Rewriter rewriter(graph);
  absl::flat_hash_map<std::string, ir::Operation*> seen;
  seen.reserve(graph.operation_count());
  std::string key;
  for (ir::Operation* op : graph.TopologicalOrder()) {
    if (context.rewrites_left <= 0) break;
    if (op->info().effect || !op->barriers().empty() || op->barrier() != nullptr) continue;
    SetKey(*op, key);
    const auto [it, fresh] = seen.try_emplace(key, op);
    if (fresh) continue;
    if (keeps_outputs && YieldsAnOutput(*op) && YieldsAnOutput(*it->second)) continue;
    const std::vector<ir::Value*> values(it->second->results().begin(),
                                         it->second->results().end());
    if (absl::Status status = ReplaceResults(rewriter, *op, values); !status.ok()) return status;
    ++result.rewrites;
    --context.rewrites_left;
  }
  result.changed = rewriter.EraseUnused() > 0 || result.rewrites > 0;
  return result;
}

}  // namespace

absl::StatusOr<PassResult> MergeCommonSubexpressions(ir::Graph& graph, PassContext& context) {
  return Merge(graph, context, /*keeps_outputs=*/false);
}

absl::StatusOr<PassResult> MergeBesidesOutputs(ir::Graph& graph, PassContext& context) {
  return Merge(graph, context, /*keeps_outputs=*/true);
}

}  // namespace tessera::passes
