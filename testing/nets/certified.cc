#include "testing/nets/certified.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "solver/prove.h"
#include "tools/proving/certify.h"
#include "tools/proving/discharge.h"
#include "tools/proving/record.h"

namespace tessera::testing {

absl::StatusOr<certificate::Certificate> Certified(const onnx::ModelProto& model,
                                                   const std::vector<std::string>& dims) {
  auto options_of_dims = onnx_import::ParseDimOptions(dims);
  if (!options_of_dims.ok()) return options_of_dims.status();
  onnx_import::ImportOptions options;
  options.dims = *std::move(options_of_dims);
  std::vector<std::string> texts;
  for (const std::string& dim : dims) texts.push_back(absl::StrCat("--dim ", dim));
  options.assume = onnx_import::Assume::kAny;
  proving::Record imported;
  options.imported = [&](const ir::Graph& graph) { imported = proving::RecordOf(graph); };
  solver::Prover prover;
  proving::Ledger ledger;
  options.check = [&](ir::Graph& graph) {
    ledger = {};
    return ledger.Discharge(graph, prover, "import", false, model.graph().name());
  };
  auto bytes = std::make_shared<std::string>(model.SerializeAsString());
  auto import =
      onnx_import::ImportBytes({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()},
                               bytes, model.graph().name(), options);
  if (!import.ok()) return import.status();
  for (const onnx_import::DimOption& dim : import->assumed)
    texts.push_back(onnx_import::AssumptionText(dim));
  ledger.Finish(*import->graph, "import");
  return proving::Certify(*import->graph, imported, ledger, std::move(texts));
}

}  // namespace tessera::testing
