// A network compiled in memory: what `//tools:compile` does between its flags and its files.
#ifndef TESSERA_TOOLS_COMPILATION_COMPILE_H_
#define TESSERA_TOOLS_COMPILATION_COMPILE_H_

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"
#include "passes/pass.h"
#include "passes/runner.h"
#include "solver/certificate/certificate.h"
#include "targets/target.h"
#include "tools/proving/discharge.h"

namespace tessera::compilation {

// What to compile for, and how.
struct Plan {
  std::string target;  // its name
  std::unique_ptr<targets::Compilation> compilation;
  passes::Pipeline pipeline;  // all of it, the target's passes included
  passes::RunOptions run;
  // What the artifact says of how it was made, besides what `run` says of passes and rewrites.
  std::map<std::string, std::string> configuration;
  onnx_import::ImportOptions import;  // `imported` and `check` are overwritten
  std::vector<std::string> options;   // of the import, as on the command line; for the certificate
  bool guards = false;  // the artifact checks at run time what is neither proved nor refuted
};

// For a target, whose operations are made known, with flags of its own. Error: a value that a flag
// does not take.
absl::StatusOr<Plan> MakePlan(const targets::Target& target, const targets::FlagValues& flags);

// Who is told how far it is; any may be missing.
struct Observer {
  // What begins now: `import`, `prove`, `canonicalize`, `lower`, `certify`, `write`.
  std::function<void(const std::string& phase)> begins;
  // The model has been read. An error ends it.
  std::function<absl::Status(const onnx_import::ImportResult&)> imported;
  // Passes, lowering and the proofs of what they require are over, well or not. An error ends it.
  std::function<absl::Status(const std::vector<passes::PassReport>&, const absl::Status& ended,
                             const proving::Ledger&)>
      lowered;
};

struct Compiled {
  onnx_import::ImportResult import;
  proving::Ledger ledger;
  std::vector<passes::PassReport> reports;
  // Without the artifact's digest, and before the artifact was read without the model's.
  certificate::Certificate certificate;
  certificate::CertificateText text;  // of the certificate; as soon as the artifact was read
  targets::Serialized artifact;       // views of the plan's compilation
  // As soon as the artifact was read: not OK where the model's file could not be.
  absl::Status completed;
  std::future<absl::StatusOr<certificate::FileDigest>> model_digest;
  // Writes `certificate` and `text`, beside what makes the artifact; yields what the artifact says
  // of them. Ends before they do.
  std::future<std::string> claims;
};

// The model at `path`. Errors: of the frontends, the proofs (proving::Ledger::Discharge), the
// passes, the target. Who keeps what comes of it checks first that the model's files are what they
// were (support::CheckUnchanged). The plan is used up.
absl::StatusOr<std::unique_ptr<Compiled>> Compile(const std::string& path, Plan& plan,
                                                  const Observer& observer);

}  // namespace tessera::compilation

#endif  // TESSERA_TOOLS_COMPILATION_COMPILE_H_
