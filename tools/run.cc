// Runs a network on the reference executor, or an artifact on its target's.
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "frontends/onnx/import.h"
#include "support/file.h"
#include "support/mapped_file.h"
#include "support/npy.h"
#include "targets/all/all.h"
#include "targets/reference/executor.h"
#include "targets/target.h"
#include "tools/cli/assignment.h"
#include "tools/cli/assumptions.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/file_roles.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/table.h"
#include "tools/cli/tool.h"
#include "tools/proving/discharge.h"
#include "tools/run_inputs.h"
#include "tools/tools.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "run";

// The name with what does not belong into a file's name replaced; distinct names stay distinct.
std::string FileName(std::string name, size_t output) {
  bool replaced = name.empty() || name[0] == '.';
  for (char& c : name) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.')
      continue;
    c = '_';
    replaced = true;
  }
  return replaced ? absl::StrCat("output_", output, "_", name, ".npy") : absl::StrCat(name, ".npy");
}

// Where the outputs go, in their order, none over a file that is read. Without a folder: nowhere.
// `import` is null of an artifact.
absl::Status ClaimFiles(const std::string& model, const std::map<std::string, std::string>& sources,
                        const cli::ImportFlags& import_flags,
                        const onnx_import::ImportResult* import,
                        const std::vector<std::string>& names, const std::string& folder,
                        std::vector<std::string>& paths) {
  if (folder.empty()) return absl::OkStatus();
  cli::FileRoles roles;
  absl::Status status = roles.Reads("the model", model);
  if (status.ok()) status = import_flags.AddTo(roles);
  if (status.ok() && import != nullptr) status = cli::AddTo(roles, *import);
  for (const auto& [name, source] : sources) {
    if (status.ok() && !cli::IsRandomSource(source))
      status = roles.Reads(absl::StrCat("the input `", name, "`"), source);
  }
  for (size_t i = 0; i < names.size() && status.ok(); ++i) {
    paths.push_back(absl::StrCat(folder, "/", FileName(names[i], i)));
    status = roles.Writes(absl::StrCat("the output `", names[i], "`"), paths.back());
  }
  return status;
}

std::vector<std::string> Row(const std::string& name, const ir::Tensor& tensor) {
  double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double v = tensor.AsDouble(i);
    low = v < low || std::isnan(v) ? v : low;
    high = v > high || std::isnan(v) ? v : high;
    sum += v;
  }
  if (tensor.size() == 0) return {name, cli::TypeText(tensor)};
  return {name, cli::TypeText(tensor), cli::NumberText(low), cli::NumberText(high),
          cli::NumberText(sum / static_cast<double>(tensor.size()))};
}

// What comes of a run, as a table and as files.
absl::Status Show(const std::vector<std::string>& names, const std::vector<ir::Tensor>& outputs,
                  const std::string& folder, const std::vector<std::string>& paths) {
  std::vector<std::vector<std::string>> rows = {{"output", "type", "min", "max", "mean"}};
  for (size_t i = 0; i < outputs.size(); ++i) rows.push_back(Row(names[i], outputs[i]));
  if (!folder.empty()) {
    if (absl::Status status = support::MakeFolder(folder); !status.ok()) return status;
    rows[0].push_back("file");
    for (size_t i = 0; i < outputs.size(); ++i) {
      const absl::Status status = support::WriteFile(paths[i], support::SerializeNpy(outputs[i]));
      if (!status.ok()) return status;
      rows[i + 1].resize(5);
      rows[i + 1].push_back(paths[i]);
    }
  }
  std::cout << cli::Table(rows);
  return absl::OkStatus();
}

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Arguments {
  std::string model, folder;
  std::map<std::string, std::string> sources;
  cli::ImportFlags import;
};

int RunNetwork(const cli::CommandLine& line, const Arguments& arguments) {
  onnx_import::ImportOptions options;
  if (const std::optional<int> code = arguments.import.Resolve(line, kProgram, options))
    return *code;
  options.check = proving::ShapeCheck(arguments.model);
  const absl::StatusOr<onnx_import::ImportResult> import =
      onnx_import::ImportFile(arguments.model, options);
  if (!import.ok()) return cli::Report(kProgram, import.status());
  const ir::Graph& graph = *import->graph;
  std::vector<std::string> paths;
  const absl::Status claimed = ClaimFiles(arguments.model, arguments.sources, arguments.import,
                                          &*import, graph.output_names(), arguments.folder, paths);
  if (!claimed.ok()) return line.WrongUsage(std::string(claimed.message()));
  const absl::StatusOr<std::vector<ir::Tensor>> inputs =
      ReadInputs(InputsOf(graph), arguments.sources);
  if (!inputs.ok()) return cli::Report(kProgram, inputs.status());
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  if (!executor.ok()) return cli::Report(kProgram, executor.status());
  const Clock::time_point start = Clock::now();
  const absl::StatusOr<std::vector<ir::Tensor>> outputs = executor->Run(*inputs);
  if (!outputs.ok()) return cli::Report(kProgram, outputs.status());
  if (const absl::Status status = support::CheckUnchanged(import->files); !status.ok())
    return cli::Report(kProgram, status);
  const double seconds = SecondsSince(start);
  const absl::Status shown = Show(graph.output_names(), *outputs, arguments.folder, paths);
  if (!shown.ok()) return cli::Report(kProgram, shown);
  std::cerr << cli::AssumptionLines(*import, options);
  std::cerr << absl::StrFormat("%d operations in %.3f s\n", graph.operation_count(), seconds);
  return cli::kDone;
}

int RunArtifact(const cli::CommandLine& line, const Arguments& arguments) {
  if (!arguments.import.Texts().empty())
    return line.WrongUsage("`--dim` and `--bind` go with an ONNX file");
  const absl::StatusOr<targets::OpenedArtifact> opened = targets::OpenFile(arguments.model);
  if (!opened.ok()) return cli::Report(kProgram, opened.status());
  opened->target->Register();
  const absl::StatusOr<std::unique_ptr<targets::Executable>> executable = opened->artifact->Load();
  if (!executable.ok()) return cli::Report(kProgram, executable.status());
  std::vector<std::string> names;
  for (const targets::Port& port : (*executable)->outputs()) names.push_back(port.name);
  std::vector<std::string> paths;
  const absl::Status claimed = ClaimFiles(arguments.model, arguments.sources, arguments.import,
                                          nullptr, names, arguments.folder, paths);
  if (!claimed.ok()) return line.WrongUsage(std::string(claimed.message()));
  const absl::StatusOr<std::vector<ir::Tensor>> inputs =
      ReadInputs(InputsOf(**executable), arguments.sources);
  if (!inputs.ok()) return cli::Report(kProgram, inputs.status());
  const Clock::time_point start = Clock::now();
  const absl::StatusOr<std::vector<ir::Tensor>> outputs = (*executable)->Run(*inputs);
  if (!outputs.ok()) return cli::Report(kProgram, outputs.status());
  const double seconds = SecondsSince(start);
  const absl::Status shown = Show(names, *outputs, arguments.folder, paths);
  if (!shown.ok()) return cli::Report(kProgram, shown);
  std::cerr << absl::StrFormat("%s in %.3f s\n", opened->target->title(), seconds);
  return cli::kDone;
}

// By its contents; a file that cannot be read is the importer's to complain about.
bool IsArtifact(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string first(targets::kRecognizedBy, '\0');
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<size_t>(file.gcount()));
  return targets::TargetOf(path, first) != nullptr;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  std::vector<std::string> input_flags;
  std::string suffixes;
  for (const std::string& name : targets::Names())
    absl::StrAppend(&suffixes, suffixes.empty() ? "." : " or .", name);
  cli::CommandLine line(kProgram,
                        "Runs an ONNX network on the reference executor, or an artifact on its "
                        "target's, and shows the outputs.");
  line.Positional("MODEL", absl::StrCat("an ONNX file, or a ", suffixes, " file"), &arguments.model)
      .Values("input", "NAME=SOURCE",
              "where an input comes from: a .npy or .pb file, `random:SEED`, or "
              "`random:SEED:2x3x224x224` with a shape",
              &input_flags)
      .Value("output-dir", "FOLDER", "writes every output there as OUTPUT.npy", &arguments.folder);
  arguments.import.Declare(line);
  line.Example("model.onnx --input x=x.npy --output-dir results")
      .Example("model.onnx --input image=random:1 --dim N=1 --dim H=64 --dim W=64")
      .Example(absl::StrCat("model.", targets::Names()[0], " --input x=x.npy"));
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  for (const std::string& text : input_flags) {
    auto source = cli::SplitAssignment(text);
    if (!source.has_value())
      return line.WrongUsage(absl::StrCat("`--input ", text, "`: not of the form NAME=SOURCE"));
    if (!arguments.sources.insert(*source).second)
      return line.WrongUsage(absl::StrCat("`--input ", source->first, "` given twice"));
  }
  cli::EnterInvokingFolder();
  cli::LinkOps();
  return IsArtifact(arguments.model) ? RunArtifact(line, arguments) : RunNetwork(line, arguments);
}

}  // namespace

namespace tools {

int Run(int argc, char** argv) { return cli::RunTool(kProgram, Main, argc, argv); }

}  // namespace tools
}  // namespace tessera
