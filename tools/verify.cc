// Compares the reference with stored outputs, and a target's artifact with the reference.
#include "tools/verification/verify.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/file.h"
#include "targets/all/all.h"
#include "targets/target.h"
#include "tools/cli/choice.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/import_model.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/target_flags.h"
#include "tools/cli/tool.h"
#include "tools/proving/discharge.h"
#include "tools/tools.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "verify";

constexpr char kExecutor[] = "executor";

// All that execute artifacts of some target.
std::vector<std::string> ForeignRuntimes() {
  std::vector<std::string> names;
  for (const targets::Target* target : targets::All()) {
    for (std::string& name : target->Runtimes()) names.push_back(std::move(name));
  }
  return names;
}

int Main(int argc, char** argv) {
  std::vector<std::string> names = {"reference"};
  for (const std::string& name : targets::Names()) names.push_back(name);

  verification::Request request;
  std::string target, sizes, with, packages, artifact;
  bool json = false;
  cli::ImportFlags import_flags;
  cli::TargetFlags target_flags;
  cli::CommandLine line(kProgram,
                        "Compares the reference executor with the outputs stored beside a model, "
                        "and a target's artifact, executed "
                        "from its bytes, with the reference.");
  line.Positional("MODEL", cli::kModelFile, &request.model)
      .Value("target", "NAME",
             absl::StrCat("one of ", absl::StrJoin(names, ", "), "; default: reference"), &target)
      .Value("data", "FOLDER",
             "holds `test_data_set_K/{input_I,output_O}.pb` (or .npy); default: beside the model; "
             "seeded random inputs of "
             "several sizes where there are none",
             &request.data)
      .Value("sizes", "COUNT",
             "also tries seeded random inputs of that many sizes; default: 4 where no data are "
             "stored, else none",
             &sizes)
      .Value(
          "with", "RUNTIME",
          absl::StrCat("what executes the artifact: ", kExecutor,
                       ", which is the project's own, or ", absl::StrJoin(ForeignRuntimes(), ", "),
                       ", as it is installed; default: ", kExecutor),
          &with)
      .Value("runtime-dir", "FOLDER",
             "with `--with`: holds the runtime's Python package; default: where `python3` finds it",
             &packages)
      .Value("artifact", "FILE",
             "what `compile` made of the model, for the same sizes: it is what is compared, and "
             "nothing is compiled; the target is the file's, its flags only say how exact it is",
             &artifact)
      .Switch("json", "prints the report as JSON", &json);
  import_flags.Declare(line);
  target_flags.Declare(line);
  line.Example("model.onnx")
      .Example(absl::StrCat("model.onnx --target=", names[1], " --sizes=10"))
      .Example(absl::StrCat("model.onnx --target=", names[1], " --with=", ForeignRuntimes()[0]))
      .Example("model.onnx --data recorded --dim T=1..128 --json")
      .Example(absl::StrCat("model.onnx --artifact model.", targets::Suffixes()[0]));
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  targets::OpenedArtifact opened;
  std::optional<verification::GivenArtifact> given;
  if (!artifact.empty()) {
    cli::EnterInvokingFolder();
    if (!targets::IsArtifact(artifact))
      return line.WrongUsage(
          absl::StrCat("`--artifact ", artifact, "`: no artifact of a target that there is"));
    absl::StatusOr<std::string> bytes = support::ReadFile(artifact);
    if (!bytes.ok()) return cli::Report(kProgram, bytes.status());
    absl::StatusOr<targets::OpenedArtifact> read = targets::OpenFile(artifact);
    if (!read.ok()) return cli::Report(kProgram, read.status());
    opened = *std::move(read);
    given = {*std::move(bytes), opened.artifact.get()};
    const std::string made_for(opened.target->name());
    if (!target.empty() && target != made_for)
      return line.WrongUsage(absl::StrCat("`--artifact ", artifact, "` is one of target `",
                                          made_for, "`, not `", target, "`"));
    target = made_for;
  }
  if (target.empty()) target = names[0];
  const targets::Target* const linked = targets::Find(target);
  if (!sizes.empty() &&
      (!absl::SimpleAtoi(sizes, &request.random_sizes) || request.random_sizes > 1000)) {
    return line.WrongUsage(absl::StrCat("`--sizes ", sizes, "`: no number from 0 to 1000"));
  }
  if (const std::string wrong = cli::NotOneOf("--target", target, names); !wrong.empty())
    return line.WrongUsage(wrong);
  std::optional<targets::ForeignRuntime> runtime;
  if (!with.empty() && with != kExecutor) {
    const std::vector<std::string> own =
        linked == nullptr ? std::vector<std::string>() : linked->Runtimes();
    if (std::find(own.begin(), own.end(), with) == own.end()) {
      std::vector<std::string> possible = own;
      possible.insert(possible.begin(), kExecutor);
      return line.WrongUsage(
          absl::StrCat(cli::NotOneOf("--with", with, possible), " for target `", target, "`"));
    }
    runtime = {with, packages};
  } else if (!packages.empty()) {
    return line.WrongUsage("`--runtime-dir` goes with `--with` and a runtime of others");
  }
  targets::FlagValues flags;
  if (const std::optional<int> code = target_flags.Resolve(line, linked, flags)) return *code;
  cli::EnterInvokingFolder();
  cli::LinkOps();
  if (request.data.empty()) {
    request.data = std::filesystem::path(request.model).parent_path().string();
    if (request.data.empty()) request.data = ".";
  }
  if (linked != nullptr && !given.has_value())
    verification::CalibrateWith(request.data, *linked, flags);
  std::unique_ptr<const verification::Target> made;
  if (linked != nullptr) {
    absl::StatusOr<std::unique_ptr<const verification::Target>> configured =
        verification::MakeTarget(*linked, flags, runtime, std::move(given));
    if (!configured.ok()) return cli::Report(kProgram, configured.status());
    made = *std::move(configured);
  }
  request.target = made.get();
  if (const std::optional<int> code = import_flags.Resolve(line, kProgram, request.options))
    return *code;
  request.options.check = proving::ShapeCheck(request.model);
  const absl::StatusOr<verification::Report> report = verification::Verify(request);
  if (!report.ok()) return cli::Report(kProgram, report.status());
  std::cout << (json ? report->ToJson() : report->ToText());
  return report->holds() ? cli::kDone : cli::kBadInput;
}

}  // namespace

namespace tools {

int Verify(int argc, char** argv) { return cli::RunTool(kProgram, Main, argc, argv); }

}  // namespace tools
}  // namespace tessera
