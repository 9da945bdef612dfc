#include "tools/inspect_scopes.h"

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/operation.h"
#include "passes/compression/traits/traits.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/table.h"
#include "tools/compression/addressed.h"

namespace tessera {
namespace {

std::string What(ir::Quantizable kind) {
  switch (kind) {
    case ir::Quantizable::kNever:
      return "";
    case ir::Quantizable::kInputs:
    case ir::Quantizable::kSums:
      return "operands";
    case ir::Quantizable::kFine:
      return "operands, by 16 bits";
    case ir::Quantizable::kClamps:
      return "operands; bounds";
    case ir::Quantizable::kWeights:
      return "operands and weights";
    case ir::Quantizable::kAgnostic:
      return "as what it reads";
    case ir::Quantizable::kUnified:
      return "as one";
    case ir::Quantizable::kQuantizes:
    case ir::Quantizable::kDequantizes:
      return "is quantized";
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> ScopesText(const std::string& path,
                                       const onnx_import::ImportOptions& options) {
  cli::LinkOps();
  const absl::StatusOr<std::string> bytes = tools::ReadWholeModel(path);
  if (!bytes.ok()) return bytes.status();
  const absl::StatusOr<std::unique_ptr<tools::Addressed>> model =
      tools::ImportAddressed(*bytes, path, options);
  if (!model.ok()) return model.status();
  std::vector<std::vector<std::string>> rows = {
      {"address", "op", "result", "constants", "quantization"}};
  for (const ir::Operation* op : (*model)->import.graph->TopologicalOrder()) {
    const compression::Address& address = (*model)->addresses.Of(*op);
    if (address.scope.empty()) continue;
    int64_t constants = 0;
    for (const ir::Value* operand : op->operands()) {
      if (operand != nullptr && operand->constant() != nullptr)
        constants += operand->constant()->size();
    }
    rows.push_back({address.scope, std::string(op->info().name),
                    op->results().empty() ? "" : op->result(0)->type().ToString(),
                    constants == 0 ? "" : absl::StrCat(constants),
                    What(compression::TraitOf(op->info()).kind)});
  }
  return cli::Table(rows);
}

}  // namespace tessera
