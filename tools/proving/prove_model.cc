#include "tools/proving/prove_model.h"

#include <utility>

#include "passes/pipeline.h"
#include "passes/runner.h"
#include "tools/cli/import_model.h"
#include "tools/proving/certify.h"

namespace tessera::proving {

absl::StatusOr<std::unique_ptr<ProvedModel>> ProveModel(const std::string& path,
                                                        onnx_import::ImportOptions& options,
                                                        bool guards) {
  auto model = std::make_unique<ProvedModel>();
  options.imported = [&](const ir::Graph& graph) { model->imported = RecordOf(graph); };
  options.check = [&](ir::Graph& graph) {
    model->ledger = {};
    return model->ledger.Discharge(graph, model->prover, "import", guards, path);
  };
  absl::StatusOr<onnx_import::ImportResult> import = cli::ImportModel(path, options);
  if (!import.ok()) return import.status();
  model->import = *std::move(import);
  ir::Graph& graph = *model->import.graph;
  std::vector<passes::PassReport> reports;
  absl::Status status = passes::Run(graph, passes::CanonicalPipeline(), {}, reports);
  if (status.ok())
    status = model->ledger.Discharge(graph, model->prover, "canonicalize", guards, path);
  if (!status.ok()) return status;
  model->ledger.Finish(graph, "canonicalize");
  return model;
}

absl::StatusOr<certificate::Certificate> CertificateOf(const std::string& path,
                                                       const ProvedModel& model,
                                                       std::vector<std::string> options) {
  for (std::string& text : onnx_import::AssumptionTexts(model.import))
    options.push_back(std::move(text));
  absl::StatusOr<certificate::Certificate> certificate =
      Certify(*model.import.graph, model.imported, model.ledger, std::move(options));
  if (!certificate.ok()) return certificate;
  // The digest of the model is of what it was, and is, if it is the same.
  certificate->model = DigestOf(path, model.import.file.bytes);
  absl::StatusOr<std::vector<certificate::FileDigest>> data = DigestsOfData(model.import.data);
  if (!data.ok()) return data.status();
  certificate->data = *std::move(data);
  return certificate;
}

}  // namespace tessera::proving
