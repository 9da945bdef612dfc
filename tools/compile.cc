// Compiles a network to an artifact.
#include "tools/compilation/compile.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/onnx/import.h"
#include "ir/text.h"
#include "passes/runner.h"
#include "solver/certificate/certificate.h"
#include "support/file.h"
#include "support/file_set.h"
#include "support/mapped_file.h"
#include "support/sha256_beside.h"
#include "targets/all/all.h"
#include "targets/target.h"
#include "tools/cli/choice.h"
#include "tools/cli/command_line.h"
#include "tools/cli/configuration.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/file_roles.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/import_model.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/pass_flags.h"
#include "tools/cli/progress.h"
#include "tools/cli/reproducer_flags.h"
#include "tools/cli/target_flags.h"
#include "tools/cli/tool.h"
#include "tools/compilation/summary.h"
#include "tools/compile_compression.h"
#include "tools/proving/beside.h"
#include "tools/proving/certify.h"
#include "tools/proving/discharge.h"
#include "tools/tools.h"
#include "tools/views/dump_flags.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "compile";

// An artifact that goes there has no name, so no certificate stands beside it.
bool IsDevice(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
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

struct Arguments {
  std::string model, target, output, emit_ir, config;
  bool quiet = false, guards = false;
  cli::ImportFlags import;
  cli::PassFlags passes;
  cli::ReproducerFlags reproducer;
  cli::TargetFlags target_flags;
  tools::CompileCompression compression;
  views::DumpFlags dump;
  cli::FileRoles roles;
};

// What the arguments and the configuration ask for.
struct Plan {
  const targets::Target* target = nullptr;
  compilation::Plan compile;
  std::unique_ptr<views::Dump> dump;  // null: none was asked for
};

// `what to compile for: `a` (the default), `b``.
std::string TargetDoc() {
  std::vector<std::string> names = targets::Names();
  for (std::string& name : names) name = absl::StrCat("`", name, "`");
  names[0] += " (the default)";
  return absl::StrCat("what to compile for: ", absl::StrJoin(names, ", "));
}

cli::CommandLine Declare(Arguments& arguments) {
  const std::string standard(targets::All()[0]->name());
  cli::CommandLine line(kProgram, "Compiles a network of ONNX or PyTorch for a target.");
  line.Positional("MODEL", cli::kModelFile, &arguments.model)
      .Unless("reproduce")
      .Value("target", "TARGET", TargetDoc(), &arguments.target)
      .Value("output|o", "FILE",
             "where the artifact goes; default: the model's name with the target's suffix, in the "
             "current folder",
             &arguments.output)
      .Value("config", "FILE", "a YAML configuration; flags win over it", &arguments.config)
      .Value("emit-ir", "FILE", "also writes the final IR as text", &arguments.emit_ir)
      .Switch(
          "guards",
          "has the artifact check at run time what is neither proved nor refuted of the shapes; "
          "without it, that is an error",
          &arguments.guards)
      .Switch("quiet", "no progress and no summary", &arguments.quiet);
  arguments.import.Declare(line);
  arguments.passes.Declare(line);
  arguments.reproducer.Declare(line);
  arguments.target_flags.Declare(line);
  arguments.compression.Declare(line);
  arguments.dump.Declare(line);
  const std::string output = absl::StrCat(" -o model.", standard);
  line.Example(absl::StrCat("model.onnx --target=", standard, output))
      .Example(absl::StrCat("model.onnx --dim N=1 --dim H=32..1024 --dim H%8=0", output))
      .Example(absl::StrCat("model.onnx --dim auto", output))
      .Example("model.onnx --print-ir-after=canonicalize --time-passes")
      .Example("model.onnx --dump=html --dump-dir=report")
      .Example("--reproduce model.4-canonicalize.reproducer --print-ir-on-change");
  return line;
}

// What the views and messages call the run: the model, or the reproducer.
const std::string& Subject(const Arguments& arguments) {
  return arguments.model.empty() ? arguments.reproducer.reproduce() : arguments.model;
}

// What is read and what is written, as far as the arguments say.
absl::Status ClaimFiles(Arguments& arguments) {
  cli::FileRoles& roles = arguments.roles;
  absl::Status status = roles.Reads("the model", arguments.model);
  if (status.ok() && !arguments.config.empty())
    status = roles.Reads("the configuration", arguments.config);
  if (status.ok()) status = arguments.import.AddTo(roles);
  if (status.ok()) status = arguments.target_flags.AddTo(roles);
  if (status.ok()) status = roles.Writes("the artifact", arguments.output);
  if (status.ok() && !arguments.emit_ir.empty())
    status = roles.Writes("the final IR", arguments.emit_ir);
  if (status.ok()) status = arguments.compression.AddTo(roles, arguments.output);
  if (status.ok() && !IsDevice(arguments.output))
    status = roles.Writes("the certificate",
                          absl::StrCat(arguments.output, proving::kCertificateSuffix));
  return status;
}

// An exit code ends the program.
std::optional<int> Resolve(cli::CommandLine& line, Arguments& arguments, Plan& plan) {
  plan.target = arguments.target.empty() ? targets::All()[0] : targets::Find(arguments.target);
  if (plan.target == nullptr)
    return line.WrongUsage(cli::NotOneOf("--target", arguments.target, targets::Names()));
  const bool reproduces = !arguments.reproducer.reproduce().empty();
  if (reproduces) {
    std::vector<std::string> of_models = arguments.import.Given();
    if (!arguments.output.empty()) of_models.emplace_back("--output");
    if (!arguments.emit_ir.empty()) of_models.emplace_back("--emit-ir");
    if (arguments.guards) of_models.emplace_back("--guards");
    if (!of_models.empty())
      return line.WrongUsage(
          absl::StrCat("`", of_models[0], "` goes with MODEL, not with `--reproduce`"));
  }
  if (const auto code = arguments.compression.Resolve(line, arguments.target_flags, reproduces))
    return code;
  targets::FlagValues flags;
  if (const auto code = arguments.target_flags.Resolve(line, plan.target, flags)) return code;
  cli::EnterInvokingFolder();
  cli::LinkOps();
  absl::StatusOr<compilation::Plan> made = compilation::MakePlan(*plan.target, flags);
  if (!made.ok()) return cli::Report(kProgram, made.status());
  plan.compile = *std::move(made);
  plan.compile.guards = arguments.guards;
  const passes::Pipeline& pipeline = plan.compile.pipeline;
  passes::RunOptions& run = plan.compile.run;
  if (!arguments.config.empty()) {
    const absl::StatusOr<cli::Configured> configured =
        cli::ReadConfiguration(arguments.config, {pipeline, plan.target->toggles()}, run);
    if (!configured.ok()) return cli::Report(kProgram, configured.status());
    for (const std::string& note : configured->notes) std::cerr << "note: " << note << "\n";
  }
  if (const auto code = arguments.passes.Resolve(line, pipeline, run)) return code;
  if (const auto code =
          arguments.reproducer.Resolve(line, pipeline, arguments.model, plan.compile.target, run))
    return code;
  if (const auto code = arguments.dump.Resolve(line, Subject(arguments), plan.dump)) return code;
  if (reproduces) return std::nullopt;
  if (const auto code = arguments.import.Resolve(line, kProgram, plan.compile.import)) return code;
  plan.compile.options = arguments.import.Texts();
  if (arguments.output.empty()) {
    const std::string name = arguments.model.substr(arguments.model.rfind('/') + 1);
    arguments.output =
        absl::StrCat(name.substr(0, name.rfind('.')), ".", std::string(plan.target->suffix()));
  }
  if (const absl::Status status = ClaimFiles(arguments); !status.ok())
    return line.WrongUsage(std::string(status.message()));
  return std::nullopt;
}

int Reproduce(const Arguments& arguments, Plan& plan) {
  if (plan.dump != nullptr) plan.dump->Follow(plan.compile.run);
  std::vector<passes::PassReport> reports;
  const int code = cli::Reproduce(kProgram, arguments.reproducer.reproduce(), plan.compile.pipeline,
                                  plan.compile.run, reports, std::cout, std::cerr);
  if (plan.dump != nullptr) {
    const absl::Status dumped = plan.dump->Finish(reports, absl::OkStatus());
    if (!dumped.ok()) return cli::Report(kProgram, dumped);
  }
  if (arguments.passes.time_passes()) std::cout << cli::PassTable(reports);
  return code;
}

// The artifact and what goes with it, all or nothing; who finds the certificate finds the rest.
absl::Status Write(const Arguments& arguments, const compilation::Compiled& compiled) {
  const bool certified = !IsDevice(arguments.output);
  support::Sha256Beside sha256;
  support::FileSet files;
  absl::Status status =
      files.Add(arguments.output, compiled.artifact.runs, [&](std::string_view part) {
        if (certified) sha256.Add(part);
      });
  if (status.ok()) status = compiled.completed;
  if (status.ok() && !arguments.emit_ir.empty())
    status = files.Add(arguments.emit_ir, ir::Print(*compiled.import.graph));
  if (status.ok() && certified) {
    const certificate::CertificateFile file(
        compiled.text,
        proving::NamedDigest(arguments.output, compiled.artifact.size, sha256.Finish()));
    status = files.Add(absl::StrCat(arguments.output, proving::kCertificateSuffix), file.runs());
  }
  // A model that changed explains whatever else went wrong.
  if (absl::Status changed = support::CheckUnchanged(compiled.import.files); !changed.ok())
    return changed;
  return status.ok() ? files.Commit() : status;
}

int Compile(const cli::CommandLine& line, Arguments& arguments, Plan& plan) {
  cli::Progress progress(arguments.quiet);
  absl::Status claimed;
  compilation::Observer observer;
  observer.begins = [&](const std::string& phase) { progress.Start(phase); };
  observer.imported = [&](const onnx_import::ImportResult& import) {
    progress.Stop();
    return claimed = cli::AddTo(arguments.roles, import);
  };
  // The dump is written also of a run that fails.
  observer.lowered = [&](const std::vector<passes::PassReport>& reports, const absl::Status& ended,
                         const proving::Ledger& ledger) {
    progress.Stop();
    return plan.dump == nullptr ? absl::OkStatus()
                                : plan.dump->Finish(reports, ended, ProofsOf(ledger));
  };
  if (plan.dump != nullptr) plan.dump->Follow(plan.compile.run);
  absl::StatusOr<std::unique_ptr<compilation::Compiled>> made =
      compilation::Compile(arguments.model, plan.compile, observer);
  if (!claimed.ok()) return line.WrongUsage(std::string(claimed.message()));
  absl::Status status = made.ok() ? Write(arguments, **made) : made.status();
  progress.Stop();
  if (!status.ok()) return cli::Report(kProgram, status);

  // Never taken apart: of a graph of 10,000 operations that takes a twentieth of the compile, and
  // the process, which ends next, gives it back at once. (Where the artifact was not read to its
  // end its digests may still be on their way, and are waited for.)
  static const compilation::Compiled* kept = nullptr;
  kept = made->release();
  const compilation::Compiled& compiled = *kept;
  if (arguments.passes.time_passes()) std::cout << cli::PassTable(compiled.reports) << "\n";
  if (arguments.quiet) return cli::kDone;
  std::cout << compilation::Summary(compiled.import, plan.compile.import,
                                    plan.compile.compilation->Summarize(), compiled.ledger,
                                    compiled.artifact.size, progress, plan.compile.pipeline,
                                    compiled.reports)
            << "wrote " << arguments.output;
  if (!IsDevice(arguments.output))
    std::cout << " and " << arguments.output << proving::kCertificateSuffix;
  std::cout << "\n";
  if (plan.dump != nullptr)
    std::cout << "wrote " << arguments.dump.Place(Subject(arguments)) << "\n";
  return cli::kDone;
}

// What is compiled then is the compressed network, which goes where the artifact does not.
int CompileCompressed(const cli::CommandLine& line, Arguments& arguments, Plan& plan) {
  if (IsDevice(arguments.output))
    return line.WrongUsage("`--compress` writes a file beside the artifact: `-o` is a device");
  const std::string place = tools::CompileCompression::PlaceFor(arguments.output);
  if (const auto code =
          cli::ClaimData(line, kProgram, arguments.model, plan.compile.import, arguments.roles))
    return *code;
  // That of an earlier run belongs to the artifact that stays if this one fails.
  const absl::StatusOr<std::string> earlier = support::ReadFile(place);
  const absl::StatusOr<std::string> wrote = arguments.compression.Run(
      arguments.model, plan.compile.import, arguments.output, arguments.quiet);
  if (!wrote.ok()) return cli::Report(kProgram, wrote.status());
  arguments.model = place;
  arguments.roles = {};
  absl::Status claimed = arguments.roles.Reads("the compressed model", place);
  if (claimed.ok()) claimed = arguments.roles.Writes("the artifact", arguments.output);
  if (!claimed.ok()) return line.WrongUsage(std::string(claimed.message()));
  const int code = Compile(line, arguments, plan);
  std::error_code error;
  if (code != cli::kDone && earlier.ok()) {
    support::FileSet files;
    absl::Status status = files.Add(place, *earlier);
    if (status.ok()) status = files.Commit();
    if (!status.ok()) return cli::Report(kProgram, status);
  } else if (code != cli::kDone) {
    std::filesystem::remove(place, error);
  } else if (!arguments.quiet) {
    std::cout << *wrote << "\n";
  }
  return code;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  cli::CommandLine line = Declare(arguments);
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  Plan plan;
  if (const std::optional<int> code = Resolve(line, arguments, plan)) return *code;
  if (!arguments.reproducer.reproduce().empty()) return Reproduce(arguments, plan);
  return arguments.compression.asked() ? CompileCompressed(line, arguments, plan)
                                       : Compile(line, arguments, plan);
}

}  // namespace

namespace tools {

int Compile(int argc, char** argv) { return cli::RunTool(kProgram, Main, argc, argv); }

}  // namespace tools
}  // namespace tessera
