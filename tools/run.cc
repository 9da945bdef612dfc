// Runs a network on the reference executor, or an artifact on its target's.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "frontends/data/tensor_writer.h"
#include "frontends/onnx/import.h"
#include "support/file.h"
#include "support/mapped_file.h"
#include "targets/all/all.h"
#include "targets/reference/executor.h"
#include "targets/target.h"
#include "tools/cli/assignment.h"
#include "tools/cli/assumptions.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/file_roles.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/import_model.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/table.h"
#include "tools/cli/tool.h"
#include "tools/proving/discharge.h"
#include "tools/run_inputs.h"
#include "tools/run_stream.h"
#include "tools/tools.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "run";

struct Arguments {
  std::string model, folder;
  std::map<std::string, std::string> sources, sinks;
  // With `--stream`, in place of `sources`.
  bool stream = false;
  std::map<std::string, std::vector<std::string>> streams;
  cli::ImportFlags import;
};

// Where an output goes.
struct Sink {
  size_t output = 0;
  std::string path;
};

// Each output that the flags name or put into a folder, none over a file that is read or written
// already. `import` is null of an artifact.
absl::Status ClaimFiles(const Arguments& arguments, const onnx_import::ImportResult* import,
                        const std::vector<std::string>& names, std::vector<Sink>& sinks) {
  for (size_t i = 0; i < names.size(); ++i) {
    if (const auto sink = arguments.sinks.find(names[i]); sink != arguments.sinks.end())
      sinks.push_back({i, sink->second});
    if (!arguments.folder.empty())
      sinks.push_back({i, absl::StrCat(arguments.folder, "/", OutputFileName(names[i], i))});
  }
  for (const auto& [name, path] : arguments.sinks) {
    if (absl::Status status = data::CheckSuffix(path); !status.ok()) return status;
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::optional<std::string> nearest = cli::Nearest(name, names);
    return absl::InvalidArgumentError(
        absl::StrCat("no output `", name, "`",
                     nearest.has_value() ? absl::StrCat("; did you mean `", *nearest, "`?") : ""));
  }
  if (sinks.empty()) return absl::OkStatus();
  cli::FileRoles roles;
  absl::Status status = roles.Reads("the model", arguments.model);
  if (status.ok()) status = arguments.import.AddTo(roles);
  if (status.ok() && import != nullptr) status = cli::AddTo(roles, *import);
  for (const auto& [name, source] : arguments.sources) {
    if (status.ok() && !cli::IsRandomSource(source))
      status = roles.Reads(absl::StrCat("the input `", name, "`"), source);
  }
  for (const Sink& sink : sinks) {
    if (status.ok())
      status = roles.Writes(absl::StrCat("the output `", names[sink.output], "`"), sink.path);
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
                  const std::string& folder, const std::vector<Sink>& sinks) {
  std::vector<std::vector<std::string>> rows = {{"output", "type", "min", "max", "mean"}};
  for (size_t i = 0; i < outputs.size(); ++i) rows.push_back(Row(names[i], outputs[i]));
  if (!folder.empty()) {
    if (absl::Status status = support::MakeFolder(folder); !status.ok()) return status;
  }
  // All of them can be written before any is.
  std::vector<std::string> files;
  for (const Sink& sink : sinks) {
    absl::StatusOr<std::string> bytes =
        data::SerializeFor(sink.path, names[sink.output], outputs[sink.output]);
    if (!bytes.ok()) return bytes.status();
    files.push_back(*std::move(bytes));
  }
  if (!sinks.empty()) rows[0].push_back("file");
  for (size_t i = 0; i < sinks.size(); ++i) {
    if (absl::Status status = support::WriteFile(sinks[i].path, files[i]); !status.ok())
      return status;
    std::vector<std::string>& row = rows[sinks[i].output + 1];
    row.resize(std::max<size_t>(row.size(), 5));
    if (row.size() == 5)
      row.push_back(sinks[i].path);
    else
      absl::StrAppend(&row.back(), ", ", sinks[i].path);
  }
  std::cout << cli::Table(rows);
  return absl::OkStatus();
}

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// For all sizes that it admits; where it is refused, for those of the arrays that are given, which
// `told` says then.
absl::StatusOr<onnx_import::ImportResult> ImportFor(const Arguments& arguments,
                                                    onnx_import::ImportOptions& options,
                                                    std::string& told) {
  absl::StatusOr<onnx_import::ImportResult> import = cli::ImportModel(arguments.model, options);
  if (import.ok()) return import;
  const auto shapes = KnownShapes(arguments.sources);
  if (!shapes.ok() || shapes->empty()) return import;
  std::vector<std::string> texts;
  for (const auto& [name, shape] : *shapes) {
    options.sizes.push_back({name, shape});
    texts.push_back(absl::StrCat("`", onnx_import::SizesText(name, shape), "`"));
  }
  told = absl::StrCat("imported for ", absl::StrJoin(texts, ", "),
                      " alone: `compile` needs `--dim` (see `prove`)\n");
  return cli::ImportModel(arguments.model, options);
}

int RunNetwork(const cli::CommandLine& line, const Arguments& arguments) {
  onnx_import::ImportOptions options;
  if (const std::optional<int> code = arguments.import.Resolve(line, kProgram, options))
    return *code;
  for (const auto& [name, constant] : options.bind) {
    if (arguments.sources.contains(name))
      return line.WrongUsage(
          absl::StrCat("`--input ", name, "`: `--bind ", name, "` makes a constant of it"));
  }
  options.check = proving::ShapeCheck(arguments.model);
  std::string told;
  const absl::StatusOr<onnx_import::ImportResult> import = ImportFor(arguments, options, told);
  if (!import.ok()) return cli::Report(kProgram, import.status());
  const ir::Graph& graph = *import->graph;
  std::vector<Sink> sinks;
  const absl::Status claimed = ClaimFiles(arguments, &*import, graph.output_names(), sinks);
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
  const absl::Status shown = Show(graph.output_names(), *outputs, arguments.folder, sinks);
  if (!shown.ok()) return cli::Report(kProgram, shown);
  std::cerr << told << cli::AssumptionLines(*import, options);
  std::cerr << absl::StrFormat("%d operations in %.3f s\n", graph.operation_count(), seconds);
  return cli::kDone;
}

int RunArtifact(const cli::CommandLine& line, const Arguments& arguments) {
  if (const std::vector<std::string> flags = arguments.import.Given(); !flags.empty())
    return line.WrongUsage(
        absl::StrCat("`", flags[0], "` goes with a network, and that is an artifact"));
  const absl::StatusOr<targets::OpenedArtifact> opened = targets::OpenFile(arguments.model);
  if (!opened.ok()) return cli::Report(kProgram, opened.status());
  opened->target->Register();
  const absl::StatusOr<std::unique_ptr<targets::Executable>> executable = opened->artifact->Load();
  if (!executable.ok()) return cli::Report(kProgram, executable.status());
  if (arguments.stream) {
    const StreamFiles files = {arguments.model, arguments.streams, arguments.sinks,
                               arguments.folder};
    if (absl::Status status = CheckStream(**executable, files); !status.ok())
      return line.WrongUsage(std::string(status.message()));
    const Clock::time_point start = Clock::now();
    const absl::StatusOr<int64_t> runs = RunStream(**executable, files);
    if (!runs.ok()) return cli::Report(kProgram, runs.status());
    for (const std::string& note : (*executable)->Notes()) std::cerr << note << "\n";
    std::cerr << absl::StrFormat("%s: %d runs in %.3f s\n", opened->target->title(), *runs,
                                 SecondsSince(start));
    return cli::kDone;
  }
  std::vector<std::string> names;
  for (const targets::Port& port : (*executable)->outputs()) names.push_back(port.name);
  std::vector<Sink> sinks;
  const absl::Status claimed = ClaimFiles(arguments, nullptr, names, sinks);
  if (!claimed.ok()) return line.WrongUsage(std::string(claimed.message()));
  const absl::StatusOr<std::vector<ir::Tensor>> inputs =
      ReadInputs(InputsOf(**executable), arguments.sources);
  if (!inputs.ok()) return cli::Report(kProgram, inputs.status());
  const Clock::time_point start = Clock::now();
  const absl::StatusOr<std::vector<ir::Tensor>> outputs = (*executable)->RunLast(*inputs);
  if (!outputs.ok()) return cli::Report(kProgram, outputs.status());
  const double seconds = SecondsSince(start);
  const absl::Status shown = Show(names, *outputs, arguments.folder, sinks);
  if (!shown.ok()) return cli::Report(kProgram, shown);
  // What the artifact made otherwise than the network, as `verify` says it.
  for (const std::string& note : (*executable)->Notes()) std::cerr << note << "\n";
  std::cerr << absl::StrFormat("%s in %.3f s\n", opened->target->title(), seconds);
  return cli::kDone;
}

int Main(int argc, char** argv) {
  Arguments arguments;
  std::vector<std::string> input_flags, output_flags;
  std::string suffixes;
  for (const std::string& suffix : targets::Suffixes())
    absl::StrAppend(&suffixes, suffixes.empty() ? "." : " or .", suffix);
  cli::CommandLine line(kProgram,
                        "Runs a network on the reference executor, or an artifact on its "
                        "target's, and shows the outputs.");
  line.Positional("MODEL", absl::StrCat(cli::kModelFile, ", or a ", suffixes, " file"),
                  &arguments.model)
      .Values("input", "NAME=SOURCE",
              "where an input comes from: a .npy, .pb, .png, .jpg or .wav file, `random:SEED`, or "
              "`random:SEED:2x3x224x224` with a shape; a picture's values run from 0 to 1, of u8 "
              "from 0 to 255, a sound's from -1 to 1",
              &input_flags)
      .Values("output", "NAME=FILE", "writes an output there, as .npy, .pb or .png", &output_flags)
      .Value("output-dir", "FOLDER", "writes every output there as OUTPUT.npy", &arguments.folder)
      .Switch("stream",
              "of an artifact whose states last from run to run: takes one array of each input "
              "after the other until there are no more, from any number of `--input`s, .npy files "
              "of several arrays or `-`, standard input, and writes one array of each output "
              "behind the other, also to `-`",
              &arguments.stream);
  arguments.import.Declare(line);
  line.Example("model.onnx --input x=x.npy --output-dir results")
      .Example("denoise.onnx --input input=noisy.png --output output=clean.png")
      .Example("model.onnx --input image=random:1 --dim N=1 --dim H=64 --dim W=64")
      .Example(absl::StrCat("model.", targets::Suffixes()[0], " --input x=x.npy"))
      .Example("ARTIFACT --stream --input x=- --output y=- <frames.npy >results.npy");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  for (const auto& [flag, texts, values] :
       {std::tuple("input", &input_flags, &arguments.sources),
        std::tuple("output", &output_flags, &arguments.sinks)}) {
    for (const std::string& text : *texts) {
      auto pair = cli::SplitAssignment(text);
      if (!pair.has_value())
        return line.WrongUsage(absl::StrCat("`--", flag, " ", text, "`: not of the form NAME=",
                                            values == &arguments.sinks ? "FILE" : "SOURCE"));
      if (arguments.stream && values == &arguments.sources) {
        arguments.streams[pair->first].push_back(pair->second);
      } else if (!values->insert(*pair).second)
        return line.WrongUsage(absl::StrCat("`--", flag, " ", pair->first, "` given twice"));
    }
  }
  cli::EnterInvokingFolder();
  cli::LinkOps();
  if (arguments.stream && !targets::IsArtifact(arguments.model))
    return line.WrongUsage("`--stream` goes with an artifact");
  return targets::IsArtifact(arguments.model) ? RunArtifact(line, arguments)
                                              : RunNetwork(line, arguments);
}

}  // namespace

namespace tools {

int Run(int argc, char** argv) { return cli::RunTool(kProgram, Main, argc, argv); }

}  // namespace tools
}  // namespace tessera
