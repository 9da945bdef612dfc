#include "passes/replace_results.h"

#include <utility>

namespace tessera::passes {

absl::Status ReplaceResults(ir::Rewriter& rewriter, ir::Operation& op,
                            const std::vector<ir::Value*>& values) {
  // With its last use the operation goes, and its other results with it; so those without uses are
  // left alone.
  std::vector<std::pair<ir::Value*, ir::Value*>> used;
  for (size_t i = 0; i < op.results().size() && i < values.size(); ++i) {
    ir::Value* old = op.results()[i];
    if (old != values[i] && (!old->UsesUnsorted().empty() || old->is_graph_output()))
      used.emplace_back(old, values[i]);
  }
  if (used.empty()) {
    rewriter.EraseIfUnused(&op);
    return absl::OkStatus();
  }
  for (const auto& [from, to] : used) {
    if (absl::Status status = rewriter.ReplaceAllUses(from, to); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace tessera::passes
