#include "tools/inspect_nests.h"

#include "absl/strings/str_cat.h"
#include "ir/graph.h"
#include "nests/cost.h"
#include "nests/library.h"
#include "tools/cli/import_model.h"
#include "tools/cli/op_sets.h"

// Defined by generated code.
namespace tessera::ops {
absl::Span<const nests::Definition* const> CoreNests();
}  // namespace tessera::ops

namespace tessera {

absl::StatusOr<std::string> NestText(const std::string& path,
                                     const onnx_import::ImportOptions& options) {
  cli::LinkOps();
  nests::Library::Global().Add(ops::CoreNests());
  const absl::StatusOr<onnx_import::ImportResult> import = cli::ImportModel(path, options);
  if (!import.ok()) return import.status();
  ir::Graph& graph = *import->graph;
  std::string text;
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (op->results().empty() || op->result()->constant() != nullptr) continue;
    absl::StrAppend(&text, std::string(op->info().name), " -> `", op->result()->name(), "`\n");
    const absl::StatusOr<nests::Computation> computation =
        nests::ComputationOf(*op, graph.context());
    if (!computation.ok()) {
      absl::StrAppend(&text, "  ", std::string(computation.status().message()), "\n\n");
      continue;
    }
    absl::StrAppend(&text, nests::ToString(*computation),
                    nests::ToString(nests::CostOf(*computation)), "\n\n");
  }
  return text;
}

}  // namespace tessera
