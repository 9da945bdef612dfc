// The proofs of a model that is not compiled: what `//tools:prove` does between its flags and what
// it writes.
#ifndef TESSERA_TOOLS_PROVING_PROVE_MODEL_H_
#define TESSERA_TOOLS_PROVING_PROVE_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"
#include "solver/certificate/certificate.h"
#include "solver/prove.h"
#include "tools/proving/discharge.h"
#include "tools/proving/record.h"

namespace tessera::proving {

struct ProvedModel {
  onnx_import::ImportResult import;
  Record imported;
  Ledger ledger;
  solver::Prover prover;
};

// Imports the model and proves what it and its canonical form require. Errors: of the import, of
// Ledger::Discharge. `imported` and `check` of the options are overwritten.
absl::StatusOr<std::unique_ptr<ProvedModel>> ProveModel(const std::string& path,
                                                        onnx_import::ImportOptions& options,
                                                        bool guards);

// Without an artifact; `options` as on the command line.
absl::StatusOr<certificate::Certificate> CertificateOf(const std::string& path,
                                                       const ProvedModel& model,
                                                       std::vector<std::string> options);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_PROVE_MODEL_H_
