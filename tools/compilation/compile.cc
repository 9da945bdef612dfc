#include "tools/compilation/compile.h"

#include <future>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "passes/pipeline.h"
#include "solver/prove.h"
#include "tools/cli/import_model.h"
#include "tools/proving/artifact.h"
#include "tools/proving/certify.h"
#include "tools/proving/record.h"

namespace tessera::compilation {
namespace {

constexpr size_t kDigestLength = 64;  // hexadecimal digits of SHA-256

void Begin(const Observer& observer, const char* phase) {
  if (observer.begins) observer.begins(phase);
}

// What fails behind the frontends is told with the model's file too, as what these say is.
absl::Status In(const std::string& path, const absl::Status& status) {
  if (status.ok() || absl::StrContains(status.message(), path)) return status;
  absl::Status named(status.code(), absl::StrCat(path, ": ", status.message()));
  status.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& payload) { named.SetPayload(type, payload); });
  return named;
}

// Passes, lowering and the proofs of what they require.
absl::Status Lower(const std::string& path, Plan& plan, solver::Prover& prover,
                   const Observer& observer, Compiled& compiled) {
  ir::Graph& graph = *compiled.import.graph;
  if (absl::Status status = targets::TakesSizes(*plan.compilation, graph); !status.ok())
    return In(path, status);
  bool lowering = false;
  Begin(observer, "canonicalize");
  plan.run.before = [&, before = std::move(plan.run.before)](const passes::Pass& pass,
                                                             const ir::Graph& now) {
    if (!lowering && pass.phase > passes::Phase::kCanonicalize) {
      lowering = true;
      Begin(observer, "lower");
    }
    if (before) before(pass, now);
  };
  absl::Status status = passes::Run(graph, plan.pipeline, plan.run, compiled.reports);
  if (status.ok()) {
    status = compiled.ledger.Discharge(graph, prover, plan.target, plan.guards, path);
    compiled.ledger.Finish(graph, plan.target);
  }
  if (status.ok()) status = plan.compilation->Emit(graph, plan.configuration);
  status = In(path, status);
  if (observer.lowered) {
    const absl::Status seen = observer.lowered(compiled.reports, status, compiled.ledger);
    if (status.ok()) return seen;
  }
  return status;
}

}  // namespace

absl::StatusOr<Plan> MakePlan(const targets::Target& target, const targets::FlagValues& flags) {
  target.Register();
  absl::StatusOr<std::unique_ptr<targets::Compilation>> compilation = target.Configure(flags);
  if (!compilation.ok()) return compilation.status();
  Plan plan;
  plan.target = std::string(target.name());
  plan.compilation = *std::move(compilation);
  plan.pipeline = passes::CanonicalPipeline();
  for (const passes::Pass& pass : plan.compilation->pipeline()) plan.pipeline.push_back(pass);
  return plan;
}

namespace {

// What of the passes and rewrites is not as it is by itself.
void RecordRun(Plan& plan) {
  for (const std::string& pass : plan.run.disabled)
    plan.configuration[absl::StrCat("pass.", pass)] = "off";
  for (const std::string& rewrite : plan.run.requested)
    plan.configuration[absl::StrCat("rewrite.", rewrite)] = "on";
  for (const std::string& rewrite : plan.run.without)
    plan.configuration[absl::StrCat("rewrite.", rewrite)] = "off";
}

}  // namespace

absl::StatusOr<std::unique_ptr<Compiled>> Compile(const std::string& path, Plan& plan,
                                                  const Observer& observer) {
  // Beside everything else: it reads the whole file.
  auto compiled = std::make_unique<Compiled>();
  compiled->model_digest =
      std::async(std::launch::async, [path] { return proving::DigestOfFile(path); });
  RecordRun(plan);
  Begin(observer, "import");
  proving::Record imported;
  plan.import.imported = [&](const ir::Graph& graph) { imported = proving::RecordOf(graph); };
  solver::Prover prover;
  bool proving = false;
  plan.import.check = [&](ir::Graph& graph) {
    if (!std::exchange(proving, true)) Begin(observer, "prove");
    compiled->ledger = {};
    return compiled->ledger.Discharge(graph, prover, "import", plan.guards, path);
  };
  absl::StatusOr<onnx_import::ImportResult> import = cli::ImportModel(path, plan.import);
  if (!import.ok()) return import.status();
  compiled->import = *std::move(import);
  if (observer.imported) {
    if (absl::Status status = observer.imported(compiled->import); !status.ok()) return status;
  }
  std::future<absl::StatusOr<std::vector<certificate::FileDigest>>> data_digests =
      std::async(std::launch::async, [&] { return proving::DigestsOfData(compiled->import.data); });
  std::vector<std::string> assumed;
  for (const onnx_import::DimOption& dim : compiled->import.assumed)
    assumed.push_back(onnx_import::Proposition(dim));
  for (std::string& text : onnx_import::AssumptionTexts(compiled->import))
    plan.options.push_back(std::move(text));
  if (!assumed.empty()) plan.configuration["assumed"] = absl::StrJoin(assumed, ", ");

  absl::Status status = Lower(path, plan, prover, observer, *compiled);
  if (!status.ok()) return status;

  Begin(observer, "certify");
  absl::StatusOr<certificate::Certificate> certificate =
      proving::Certify(*compiled->import.graph, imported, compiled->ledger, plan.options);
  if (!certificate.ok()) return certificate.status();
  status = proving::AddLimits(plan.compilation->Limits(), *certificate);
  if (!status.ok()) return status;
  absl::StatusOr<std::vector<certificate::FileDigest>> data = data_digests.get();
  if (!data.ok()) return data.status();
  certificate->data = *std::move(data);
  compiled->certificate = *std::move(certificate);
  // The artifact names the certificate that it was written with, which names the model's digest:
  // all that is computed while the rest of the artifact is written.
  compiled->claims = std::async(std::launch::async, [&made = *compiled] {
    absl::StatusOr<certificate::FileDigest> model = made.model_digest.get();
    made.completed = model.status();
    if (!model.ok()) return std::string(kDigestLength, '0');
    made.certificate.model = *std::move(model);
    made.text = certificate::TextOf(made.certificate);
    return certificate::ClaimsDigest(made.text);
  });
  plan.compilation->SetLateMetadata(proving::kClaims, kDigestLength,
                                    [&made = *compiled] { return made.claims.get(); });

  Begin(observer, "write");
  absl::StatusOr<targets::Serialized> artifact = plan.compilation->Serialize();
  if (!artifact.ok()) return In(path, artifact.status());
  compiled->artifact = *std::move(artifact);
  return compiled;
}

}  // namespace tessera::compilation
