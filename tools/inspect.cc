// Shows what a Circle file holds, or what the operations of a network compute.
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/printable.h"
#include "targets/circle/emission/size_facts.h"
#include "targets/circle/file/check.h"
#include "targets/circle/file/reader.h"
#include "targets/circle/schema/schema.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/import_flags.h"
#include "tools/cli/table.h"
#include "tools/cli/tool.h"
#include "tools/inspect_nests.h"
#include "tools/proving/beside.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "inspect";

std::string TypeText(const circle::FileTensor& tensor) {
  std::vector<std::string> dims;
  for (int64_t dim : tensor.shape) dims.push_back(dim < 0 ? "?" : absl::StrCat(dim));
  return absl::StrCat(::circle::EnumNameTensorType(tensor.type), "[", absl::StrJoin(dims, ","),
                      "]");
}

std::string OptionText(const circle::OptionValue& value) {
  struct Visitor {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(int64_t v) const { return absl::StrCat(v); }
    std::string operator()(double v) const { return absl::StrCat(v); }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(const std::vector<int64_t>& v) const {
      return absl::StrCat("[", absl::StrJoin(v, ","), "]");
    }
    std::string operator()(const std::vector<double>& v) const {
      return absl::StrCat("[", absl::StrJoin(v, ","), "]");
    }
  };
  return std::visit(Visitor{}, value);
}

std::string NameOf(const circle::FileOperator& op) {
  return op.custom_code.empty() ? std::string(circle::OperatorName(op.builtin_code))
                                : absl::StrCat("CUSTOM:", op.custom_code);
}

std::string TensorList(const std::vector<int32_t>& tensors) {
  std::vector<std::string> names;
  for (int32_t t : tensors) names.push_back(t < 0 ? "-" : absl::StrCat("%", t));
  return absl::StrJoin(names, " ");
}

std::string OptionsText(const circle::FileOperator& op) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : op.options)
    parts.push_back(absl::StrCat(name, "=", OptionText(value)));
  return absl::StrJoin(parts, " ");
}

std::map<std::string, int> Counts(const circle::FileModel& model) {
  std::map<std::string, int> counts;
  for (const circle::FileGraph& graph : model.graphs) {
    for (const circle::FileOperator& op : graph.operators) ++counts[NameOf(op)];
  }
  return counts;
}

int64_t ConstantBytes(const circle::FileModel& model) {
  int64_t bytes = 0;
  std::set<const uint8_t*> seen;  // graphs share buffers
  for (const circle::FileGraph& graph : model.graphs) {
    for (const circle::FileTensor& tensor : graph.tensors) {
      if (tensor.is_constant && seen.insert(tensor.data.data()).second)
        bytes += static_cast<int64_t>(tensor.data.size());
    }
  }
  return bytes;
}

// What was taken for granted of sizes without being declared, as the artifact says it.
std::string AssumedBy(const circle::FileModel& model) {
  const auto metadata = model.metadata.find(circle::kSizeFactsName);
  if (metadata == model.metadata.end()) return "";
  const auto json = nlohmann::json::parse(metadata->second, nullptr, false);
  const nlohmann::json::json_pointer place("/configuration/assumed");
  if (json.is_discarded() || !json.contains(place) || !json.at(place).is_string()) return "";
  return json.at(place).get<std::string>();
}

// What runs, and what it runs on.
void PrintGraph(const circle::FileGraph& graph, bool tensors, bool operators) {
  if (operators) {
    std::vector<std::vector<std::string>> rows = {
        {"#", "operator", "inputs", "outputs", "options"}};
    for (size_t i = 0; i < graph.operators.size(); ++i) {
      const circle::FileOperator& op = graph.operators[i];
      rows.push_back({absl::StrCat(i), NameOf(op), TensorList(op.inputs), TensorList(op.outputs),
                      OptionsText(op)});
    }
    std::cout << "\n" << cli::Table(rows);
  }
  if (tensors) {
    std::vector<std::vector<std::string>> rows = {{"#", "type", "kind", "name"}};
    for (size_t i = 0; i < graph.tensors.size(); ++i) {
      const circle::FileTensor& tensor = graph.tensors[i];
      rows.push_back({absl::StrCat("%", i), TypeText(tensor),
                      tensor.is_constant   ? "constant"
                      : tensor.is_variable ? "variable"
                                           : "activation",
                      tensor.name});
    }
    std::cout << "\n" << cli::Table(rows);
  }
}

void PrintText(const circle::FileModel& model, bool tensors, bool operators) {
  std::vector<std::vector<std::string>> io = {{"", "name", "type"}};
  for (int32_t t : model.main().inputs)
    io.push_back({"input", model.main().tensors[static_cast<size_t>(t)].name,
                  TypeText(model.main().tensors[static_cast<size_t>(t)])});
  for (int32_t t : model.main().outputs)
    io.push_back({"output", model.main().tensors[static_cast<size_t>(t)].name,
                  TypeText(model.main().tensors[static_cast<size_t>(t)])});
  std::cout << cli::Table(io) << "\n"
            << model.main().operators.size() << " operators, " << model.main().tensors.size()
            << " tensors, " << ConstantBytes(model) << " bytes of constants\n\n";
  std::vector<std::vector<std::string>> counts = {{"operator", "count"}};
  for (const auto& [name, count] : Counts(model)) counts.push_back({name, absl::StrCat(count)});
  std::cout << cli::Table(counts);
  PrintGraph(model.main(), tensors, operators);
  for (size_t g = 1; g < model.graphs.size(); ++g) {
    const circle::FileGraph& graph = model.graphs[g];
    std::cout << "\nsubgraph " << g << " `" << support::Printable(graph.name) << "`, ("
              << TensorList(graph.inputs) << ") to (" << TensorList(graph.outputs)
              << "): " << graph.operators.size() << " operators, " << graph.tensors.size()
              << " tensors\n";
    PrintGraph(graph, tensors, operators);
  }
  if (const std::string assumed = AssumedBy(model); !assumed.empty())
    std::cout << "\nassumed: " << support::Printable(assumed) << "\n";
  if (!model.metadata.empty()) {
    std::vector<std::vector<std::string>> rows = {{"metadata", "bytes"}};
    for (const auto& [name, bytes] : model.metadata)
      rows.push_back({name, absl::StrCat(bytes.size())});
    std::cout << "\n" << cli::Table(rows);
  }
}

nlohmann::ordered_json JsonOf(const circle::FileGraph& graph) {
  nlohmann::ordered_json json;
  json["inputs"] = graph.inputs;
  json["outputs"] = graph.outputs;
  for (const circle::FileTensor& tensor : graph.tensors) {
    json["tensors"].push_back({{"name", tensor.name},
                               {"type", ::circle::EnumNameTensorType(tensor.type)},
                               {"shape", tensor.shape},
                               {"constant", tensor.is_constant},
                               {"bytes", tensor.data.size()}});
  }
  for (const circle::FileOperator& op : graph.operators) {
    nlohmann::ordered_json options = nlohmann::ordered_json::object();
    for (const auto& [name, value] : op.options)
      std::visit([&, &key = name](const auto& v) { options[key] = v; }, value);
    json["operators"].push_back({{"name", NameOf(op)},
                                 {"version", op.version},
                                 {"inputs", op.inputs},
                                 {"outputs", op.outputs},
                                 {"options", options}});
  }
  return json;
}

void PrintJson(const circle::FileModel& model) {
  nlohmann::ordered_json json;
  json["description"] = model.description;
  json.update(JsonOf(model.main()));
  for (size_t g = 1; g < model.graphs.size(); ++g) {
    nlohmann::ordered_json graph = {{"name", model.graphs[g].name}};
    graph.update(JsonOf(model.graphs[g]));
    json["subgraphs"].push_back(std::move(graph));
  }
  for (const auto& [name, bytes] : model.metadata) json["metadata"][name] = bytes.size();
  std::cout << json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

int Main(int argc, char** argv) {
  std::string path;
  bool tensors = false, operators = false, json = false, verify = false, nest = false;
  cli::ImportFlags import_flags;
  cli::CommandLine line(
      kProgram, "Shows what a Circle file holds, or what the operations of a network compute.");
  line.Positional("FILE", "a .circle file; with `--nest` an ONNX file", &path)
      .Switch("operators", "lists every operator with its options", &operators)
      .Switch("tensors", "lists every tensor", &tensors)
      .Switch("json", "everything, as JSON", &json)
      .Switch(
          "verify",
          "checks the file by the rules of Circle's readers, and whether the certificate beside "
          "it is its own; exit code 1 if not",
          &verify)
      .Switch("nest",
              "prints for each operation of an ONNX network the loop nests that it computes, with "
              "sizes as symbols, and their cost; takes no other switch",
              &nest);
  import_flags.Declare(line);
  line.Example("model.circle")
      .Example("model.circle --operators --tensors")
      .Example("model.circle --verify")
      .Example("model.onnx --nest");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  if (nest && (tensors || operators || json || verify))
    return line.WrongUsage("`--nest` is about an ONNX file and takes no other switch");
  if (!nest && !import_flags.Texts().empty())
    return line.WrongUsage("`--dim` and `--bind` go with `--nest`");
  cli::EnterInvokingFolder();
  if (nest) {
    onnx_import::ImportOptions options;
    if (const std::optional<int> code = import_flags.Resolve(line, kProgram, options)) return *code;
    const absl::StatusOr<std::string> text = NestText(path, options);
    if (!text.ok()) return cli::Report(kProgram, text.status());
    std::cout << *text;
    return cli::kDone;
  }
  const absl::StatusOr<circle::FileModel> model = circle::ReadCircleFile(path);
  if (!model.ok()) return cli::Report(kProgram, model.status());
  const absl::StatusOr<std::string> certificate = proving::CertificateBeside(path);
  if (json) {
    PrintJson(*model);
  } else {
    PrintText(*model, tensors, operators);
    if (certificate.ok() && !certificate->empty())
      std::cout << "\n`" << *certificate << "` was made for it\n";
  }
  if (!certificate.ok() && !verify)
    std::cerr << "warning: " << certificate.status().message() << "\n";
  if (!verify) return cli::kDone;
  const std::vector<circle::Finding> findings = circle::CheckCircle(*model);
  for (const circle::Finding& finding : findings)
    std::cerr << (finding.is_error ? "error: " : "warning: ") << finding.text << "\n";
  absl::Status status = circle::ErrorsOf(findings);
  if (status.ok()) status = certificate.status();
  if (status.ok()) std::cerr << "verified: " << findings.size() << " warnings\n";
  return status.ok() ? cli::kDone : cli::Report(kProgram, status);
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::cli::RunTool(tessera::kProgram, tessera::Main, argc, argv);
}
