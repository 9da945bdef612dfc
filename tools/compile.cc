// Compiles an ONNX network to an artifact.
#include "targets/circle/compile.h"

#include <chrono>
#include <filesystem>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "frontends/onnx/import.h"
#include "ir/text.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "solver/certificate/certificate.h"
#include "solver/prove.h"
#include "support/file.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/schema/schema.h"
#include "tools/cli/command_line.h"
#include "tools/cli/configuration.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/pass_flags.h"
#include "tools/cli/reproducer_flags.h"
#include "tools/cli/table.h"
#include "tools/proving/certify.h"
#include "tools/proving/discharge.h"
#include "tools/views/dump_flags.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "compile";
constexpr char kTarget[] = "circle";
constexpr char kCertificateSuffix[] = ".cert.json";

// Says on stderr what is being done, and remembers how long it took.
class Progress {
 public:
  explicit Progress(bool quiet) : quiet_(quiet) {}
  void Start(const std::string& phase) {
    Stop();
    phase_ = phase;
    start_ = std::chrono::steady_clock::now();
    if (!quiet_) std::cerr << phase << " ..." << std::flush;
  }
  void Stop() {
    if (phase_.empty()) return;
    const double ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
            .count();
    if (!quiet_) std::cerr << absl::StrFormat(" %.1f ms\n", ms);
    times_.emplace_back(phase_, ms);
    phase_.clear();
  }
  const std::vector<std::pair<std::string, double>>& times() const { return times_; }

 private:
  bool quiet_;
  std::string phase_;
  std::chrono::steady_clock::time_point start_;
  std::vector<std::pair<std::string, double>> times_;
};

void PrintSummary(const onnx_import::ImportResult& import, const circle::FileModel& model,
                  const proving::Ledger& ledger, int64_t bytes, const std::string& output,
                  const Progress& progress) {
  std::map<std::string, int> counts;
  for (const circle::FileOperator& op : model.operators)
    ++counts[std::string(circle::OperatorName(op.builtin_code))];
  std::vector<std::vector<std::string>> rows = {{"operator", "count"}};
  for (const auto& [name, count] : counts) rows.push_back({name, absl::StrCat(count)});
  std::cout << cli::Table(rows) << "\n"
            << import.node_count << " nodes in, " << model.operators.size() << " operators out, "
            << bytes << " bytes\n";
  std::vector<std::string> times;
  for (const auto& [phase, ms] : progress.times())
    times.push_back(absl::StrFormat("%s %.1f ms", phase, ms));
  std::cout << absl::StrJoin(times, ", ") << "\n";
  for (const solver::Fact& fact : import.graph->context().facts())
    std::cout << "assumed: " << fact.predicate.ToString() << " (" << fact.origin << ")\n";
  if (!ledger.entries().empty()) {
    std::cout << ledger.CountOf(false) << " constraints proved for all sizes, "
              << ledger.CountOf(true) << " guarded\n";
  }
  for (const proving::Entry& entry : ledger.entries()) {
    if (!entry.guarded) continue;
    std::cout << "  guarded: " << entry.obligation.location.ToString() << ": "
              << entry.obligation.constraint << ": " << entry.obligation.predicate.ToString()
              << "\n";
  }
  std::cout << "wrote " << output << " and " << output << kCertificateSuffix << "\n";
}

// Beside the artifact, unless that went to a device or a pipe.
absl::Status WriteCertificate(certificate::Certificate certificate,
                              absl::StatusOr<certificate::FileDigest> model,
                              const std::string& output) {
  if (!std::filesystem::is_regular_file(output)) return absl::OkStatus();
  if (!model.ok()) return model.status();
  certificate.model = *std::move(model);
  absl::StatusOr<certificate::FileDigest> artifact = proving::DigestOfFile(output);
  if (!artifact.ok()) return artifact.status();
  certificate.artifact = *std::move(artifact);
  return support::WriteFile(absl::StrCat(output, kCertificateSuffix),
                            certificate::WriteCertificate(certificate));
}

std::vector<views::Proof> ProofsOf(const proving::Ledger& ledger) {
  std::vector<views::Proof> proofs;
  for (const proving::Entry& entry : ledger.entries()) {
    const ir::Obligation& o = entry.obligation;
    proofs.push_back(
        {entry.stage,
         {o.op, o.location.ToString(), o.constraint, o.message, o.predicate.ToString()},
         entry.guarded});
  }
  return proofs;
}

int Main(int argc, char** argv) {
  std::string path, target, output, emit_ir, config;
  bool quiet = false, guards = false;
  cli::ImportFlags import_flags;
  cli::PassFlags pass_flags;
  cli::ReproducerFlags reproducer_flags;
  views::DumpFlags dump_flags;
  cli::CommandLine line(kProgram, "Compiles an ONNX network for a target.");
  line.Positional("MODEL", "an ONNX file", &path)
      .Unless("reproduce")
      .Value("target", "TARGET", "what to compile for: `circle` (the default)", &target)
      .Value("output|o", "FILE",
             "where the artifact goes; default: the model's name with the target's suffix, in the "
             "current folder",
             &output)
      .Value("config", "FILE", "a YAML configuration; flags win over it", &config)
      .Value("emit-ir", "FILE", "also writes the final IR as text", &emit_ir)
      .Switch(
          "guards",
          "has the artifact check at run time what is neither proved nor refuted of the shapes; "
          "without it, that is an error",
          &guards)
      .Switch("quiet", "no progress and no summary", &quiet);
  import_flags.Declare(line);
  pass_flags.Declare(line);
  reproducer_flags.Declare(line);
  dump_flags.Declare(line);
  line.Example("model.onnx --target=circle -o model.circle")
      .Example("model.onnx --dim N=1 --dim H=32..1024 --dim H%8=0 -o model.circle")
      .Example("model.onnx --print-ir-after=canonicalize --time-passes")
      .Example("model.onnx --dump=html --dump-dir=report")
      .Example("--reproduce model.4-canonicalize.reproducer --print-ir-on-change");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  if (!target.empty() && target != kTarget)
    return line.WrongUsage(
        absl::StrCat("`--target ", target, "`: no such target; there is `", kTarget, "`"));
  cli::EnterInvokingFolder();
  cli::LinkOps();
  circle::RegisterOperators();
  passes::Pipeline pipeline = passes::CanonicalPipeline();
  for (const passes::Pass& pass : circle::CirclePipeline()) pipeline.push_back(pass);
  circle::CompileOptions options;
  options.first = passes::CanonicalPipeline();
  if (!config.empty()) {
    const absl::Status status = cli::ReadConfiguration(config, pipeline, options.run);
    if (!status.ok()) return cli::Report(kProgram, status);
  }
  if (const std::optional<int> code = pass_flags.Resolve(line, pipeline, options.run)) return *code;
  if (const auto code = reproducer_flags.Resolve(line, pipeline, path, kTarget, options.run))
    return *code;
  std::unique_ptr<views::Dump> dump;
  const std::string& subject = path.empty() ? reproducer_flags.reproduce() : path;
  if (const std::optional<int> code = dump_flags.Resolve(line, subject, dump)) return *code;
  if (!reproducer_flags.reproduce().empty()) {
    if (dump != nullptr) dump->Follow(options.run);
    std::vector<passes::PassReport> reports;
    const int code = cli::Reproduce(kProgram, reproducer_flags.reproduce(), pipeline, options.run,
                                    reports, std::cout, std::cerr);
    if (dump != nullptr) {
      const absl::Status dumped = dump->Finish(reports, absl::OkStatus());
      if (!dumped.ok()) return cli::Report(kProgram, dumped);
    }
    if (pass_flags.time_passes()) std::cout << cli::PassTable(reports);
    return code;
  }
  onnx_import::ImportOptions import_options;
  if (const std::optional<int> code = import_flags.Resolve(line, kProgram, import_options))
    return *code;
  if (output.empty()) {
    const size_t slash = path.rfind('/');
    const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    output = absl::StrCat(name.substr(0, name.rfind('.')), ".", kTarget);
  }

  Progress progress(quiet);
  // Beside everything else: it reads the whole file.
  std::future<absl::StatusOr<certificate::FileDigest>> model_digest =
      std::async(std::launch::async, [&path] { return proving::DigestOfFile(path); });
  progress.Start("import");
  const absl::StatusOr<onnx_import::ImportResult> import =
      onnx_import::ImportFile(path, import_options);
  progress.Stop();
  if (!import.ok()) return cli::Report(kProgram, import.status());
  ir::Graph& graph = *import->graph;

  progress.Start("prove");
  solver::Prover prover;
  proving::Ledger ledger;
  absl::Status status = ledger.Discharge(graph, prover, "import", guards, path);
  progress.Stop();
  if (!status.ok()) return cli::Report(kProgram, status);

  bool lowering = false;
  progress.Start("canonicalize");
  options.run.before = [&](const passes::Pass& pass, const ir::Graph&) {
    if (!lowering && pass.phase > passes::Phase::kCanonicalize) {
      lowering = true;
      progress.Start("lower");
    }
  };
  for (const std::string& pass : options.run.disabled)
    options.configuration[absl::StrCat("pass.", pass)] = "off";
  options.before_emission = [&](ir::Graph& lowered) {
    const absl::Status discharged = ledger.Discharge(lowered, prover, kTarget, guards, path);
    ledger.Finish(lowered, kTarget);
    return discharged;
  };
  if (dump != nullptr) dump->Follow(options.run);
  std::vector<passes::PassReport> reports;
  const absl::StatusOr<circle::CompileResult> compiled = circle::Compile(graph, options, &reports);
  progress.Stop();
  absl::Status dumped;
  if (dump != nullptr) dumped = dump->Finish(reports, compiled.status(), ProofsOf(ledger));
  if (!compiled.ok()) return cli::Report(kProgram, compiled.status());
  if (!dumped.ok()) return cli::Report(kProgram, dumped);

  progress.Start("certify");
  absl::StatusOr<certificate::Certificate> certificate =
      proving::Certify(graph, ledger, import_flags.Texts());
  progress.Stop();
  if (!certificate.ok()) return cli::Report(kProgram, certificate.status());

  progress.Start("write");
  status = circle::WriteCircleFile(compiled->model, output);
  if (status.ok()) status = WriteCertificate(*std::move(certificate), model_digest.get(), output);
  if (status.ok() && !emit_ir.empty()) status = support::WriteFile(emit_ir, ir::Print(graph));
  progress.Stop();
  if (!status.ok()) return cli::Report(kProgram, status);

  if (pass_flags.time_passes()) std::cout << cli::PassTable(reports) << "\n";
  if (!quiet) {
    std::error_code error;  // a device has no size
    const std::uintmax_t bytes = std::filesystem::file_size(output, error);
    PrintSummary(*import, compiled->model, ledger, error ? 0 : static_cast<int64_t>(bytes), output,
                 progress);
    if (dump != nullptr) std::cout << "wrote " << dump_flags.Place(subject) << "\n";
  }
  return cli::kDone;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) { return tessera::Main(argc, argv); }
