// Runs a network on the reference executor.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "frontends/onnx/import.h"
#include "support/file.h"
#include "support/mapped_file.h"
#include "support/npy.h"
#include "support/random_tensor.h"
#include "targets/reference/executor.h"
#include "tools/cli/assignment.h"
#include "tools/cli/assumptions.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/file_roles.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/table.h"
#include "tools/cli/tensor_file.h"
#include "tools/cli/tool.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "run";

absl::StatusOr<ir::Tensor> RandomInput(const ir::Value& input, std::string_view text) {
  const absl::StatusOr<cli::RandomSource> source = cli::ParseRandomSource(text);
  if (!source.ok()) return source.status();
  std::vector<int64_t> shape;
  if (source->shape.has_value()) {
    shape = *source->shape;
  } else {
    for (const ir::Expr& dim : input.type().dims) {
      if (!dim.IsConstant()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "input `", input.name(), "` is `", input.type().ToString(), "`: fix `", dim.ToString(),
            "` with `--dim`, or say the shape: `", std::string(text), ":1x3x224x224`"));
      }
      shape.push_back(*dim.Constant());
    }
  }
  return support::RandomTensor(input.type().dtype, std::move(shape), source->seed);
}

// What the graph's inputs are, for a complaint about one that is missing.
std::string InputList(const ir::Graph& graph) {
  std::string text = "the inputs are";
  for (const ir::Value* input : graph.inputs())
    absl::StrAppend(&text, " `", input->name(), "` ", input->type().ToString());
  return text;
}

absl::StatusOr<std::vector<ir::Tensor>> ReadInputs(
    const ir::Graph& graph, const std::map<std::string, std::string>& sources) {
  std::vector<std::string> names;
  for (const ir::Value* input : graph.inputs()) names.push_back(input->name());
  for (const auto& [name, source] : sources) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::optional<std::string> nearest = cli::Nearest(name, names);
    return absl::InvalidArgumentError(absl::StrCat(
        "no input `", name, "`; ",
        nearest.has_value() ? absl::StrCat("did you mean `", *nearest, "`?") : InputList(graph)));
  }
  std::vector<ir::Tensor> inputs;
  for (const ir::Value* input : graph.inputs()) {
    const auto source = sources.find(input->name());
    if (source == sources.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no `--input ", input->name(), "=...`; ", InputList(graph)));
    }
    absl::StatusOr<ir::Tensor> tensor;
    if (cli::IsRandomSource(source->second)) {
      tensor = RandomInput(*input, source->second);
    } else if (absl::StatusOr<cli::StoredTensor> stored = cli::ReadTensorFile(source->second);
               stored.ok()) {
      tensor = std::move(stored->tensor);
    } else {
      tensor = stored.status();
    }
    if (!tensor.ok()) return tensor.status();
    inputs.push_back(*std::move(tensor));
  }
  return inputs;
}

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
absl::Status ClaimFiles(const std::string& model, const std::map<std::string, std::string>& sources,
                        const cli::ImportFlags& import_flags,
                        const onnx_import::ImportResult& import, const std::string& folder,
                        std::vector<std::string>& paths) {
  if (folder.empty()) return absl::OkStatus();
  cli::FileRoles roles;
  absl::Status status = roles.Reads("the model", model);
  if (status.ok()) status = import_flags.AddTo(roles);
  if (status.ok()) status = cli::AddTo(roles, import);
  for (const auto& [name, source] : sources) {
    if (status.ok() && !cli::IsRandomSource(source))
      status = roles.Reads(absl::StrCat("the input `", name, "`"), source);
  }
  const std::vector<std::string>& names = import.graph->output_names();
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

int Main(int argc, char** argv) {
  std::string model, folder;
  std::vector<std::string> input_flags;
  cli::ImportFlags import_flags;
  cli::CommandLine line(kProgram,
                        "Runs an ONNX network on the reference executor and shows its outputs.");
  line.Positional("MODEL", "an ONNX file", &model)
      .Values("input", "NAME=SOURCE",
              "where an input comes from: a .npy or .pb file, `random:SEED`, or "
              "`random:SEED:2x3x224x224` with a shape",
              &input_flags)
      .Value("output-dir", "FOLDER", "writes every output there as OUTPUT.npy", &folder);
  import_flags.Declare(line);
  line.Example("model.onnx --input x=x.npy --output-dir results")
      .Example("model.onnx --input image=random:1 --dim N=1 --dim H=64 --dim W=64");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;

  std::map<std::string, std::string> sources;
  for (const std::string& text : input_flags) {
    auto source = cli::SplitAssignment(text);
    if (!source.has_value())
      return line.WrongUsage(absl::StrCat("`--input ", text, "`: not of the form NAME=SOURCE"));
    if (!sources.insert(*source).second)
      return line.WrongUsage(absl::StrCat("`--input ", source->first, "` given twice"));
  }
  cli::EnterInvokingFolder();
  cli::LinkOps();
  onnx_import::ImportOptions options;
  if (const std::optional<int> code = import_flags.Resolve(line, kProgram, options)) return *code;
  const absl::StatusOr<onnx_import::ImportResult> import = onnx_import::ImportFile(model, options);
  if (!import.ok()) return cli::Report(kProgram, import.status());
  const ir::Graph& graph = *import->graph;
  std::vector<std::string> paths;
  const absl::Status claimed = ClaimFiles(model, sources, import_flags, *import, folder, paths);
  if (!claimed.ok()) return line.WrongUsage(std::string(claimed.message()));
  const absl::StatusOr<std::vector<ir::Tensor>> inputs = ReadInputs(graph, sources);
  if (!inputs.ok()) return cli::Report(kProgram, inputs.status());
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  if (!executor.ok()) return cli::Report(kProgram, executor.status());
  const auto start = std::chrono::steady_clock::now();
  const absl::StatusOr<std::vector<ir::Tensor>> outputs = executor->Run(*inputs);
  if (!outputs.ok()) return cli::Report(kProgram, outputs.status());
  if (const absl::Status status = support::CheckUnchanged(import->files); !status.ok())
    return cli::Report(kProgram, status);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  std::vector<std::vector<std::string>> rows = {{"output", "type", "min", "max", "mean"}};
  for (size_t i = 0; i < outputs->size(); ++i)
    rows.push_back(Row(graph.output_names()[i], (*outputs)[i]));
  if (!folder.empty()) {
    if (absl::Status status = support::MakeFolder(folder); !status.ok())
      return cli::Report(kProgram, status);
    rows[0].push_back("file");
    for (size_t i = 0; i < outputs->size(); ++i) {
      const absl::Status status =
          support::WriteFile(paths[i], support::SerializeNpy((*outputs)[i]));
      if (!status.ok()) return cli::Report(kProgram, status);
      rows[i + 1].resize(5);
      rows[i + 1].push_back(paths[i]);
    }
  }
  std::cout << cli::Table(rows);
  std::cerr << cli::AssumptionLines(*import, options);
  std::cerr << absl::StrFormat("%d operations in %.3f s\n", graph.operation_count(), seconds);
  return cli::kDone;
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::cli::RunTool(tessera::kProgram, tessera::Main, argc, argv);
}
