#include "targets/circle/describe.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/printable.h"
#include "targets/circle/schema/schema.h"
#include "targets/size_facts.h"

namespace tessera::circle {
namespace {

std::string TypeText(const FileTensor& tensor) {
  std::vector<std::string> dims;
  for (int64_t dim : tensor.shape) dims.push_back(dim < 0 ? "?" : absl::StrCat(dim));
  return absl::StrCat(::circle::EnumNameTensorType(tensor.type), "[", absl::StrJoin(dims, ","),
                      "]");
}

std::string OptionText(const OptionValue& value) {
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

std::string NameOf(const FileOperator& op) {
  return op.custom_code.empty() ? std::string(OperatorName(op.builtin_code))
                                : absl::StrCat("CUSTOM:", op.custom_code);
}

std::string TensorList(const std::vector<int32_t>& tensors) {
  std::vector<std::string> names;
  for (int32_t t : tensors) names.push_back(t < 0 ? "-" : absl::StrCat("%", t));
  return absl::StrJoin(names, " ");
}

std::string OptionsText(const FileOperator& op) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : op.options)
    parts.push_back(absl::StrCat(name, "=", OptionText(value)));
  return absl::StrJoin(parts, " ");
}

std::map<std::string, int> Counts(const FileModel& model) {
  std::map<std::string, int> counts;
  for (const FileGraph& graph : model.graphs) {
    for (const FileOperator& op : graph.operators) ++counts[NameOf(op)];
  }
  return counts;
}

int64_t ConstantBytes(const FileModel& model) {
  int64_t bytes = 0;
  std::set<const void*> seen;  // graphs share buffers
  for (const FileGraph& graph : model.graphs) {
    for (const FileTensor& tensor : graph.tensors) {
      const void* const where = tensor.source == nullptr
                                    ? static_cast<const void*>(tensor.data.data())
                                    : tensor.source.get();
      if (tensor.is_constant && seen.insert(where).second)
        bytes += static_cast<int64_t>(tensor.contents().size());
    }
  }
  return bytes;
}

// What was taken for granted of sizes without being declared, as the artifact says it.
std::string AssumedBy(const FileModel& model) {
  const auto metadata = model.metadata.find(targets::kSizeFactsName);
  if (metadata == model.metadata.end()) return "";
  const auto json = nlohmann::json::parse(metadata->second, nullptr, false);
  const nlohmann::json::json_pointer place("/configuration/assumed");
  if (json.is_discarded() || !json.contains(place) || !json.at(place).is_string()) return "";
  return json.at(place).get<std::string>();
}

// What runs, and what it runs on.
void DescribeGraph(const FileGraph& graph, const targets::Detail& detail,
                   std::vector<targets::Part>& parts) {
  if (detail.operators) {
    targets::Rows rows = {{"#", "operator", "inputs", "outputs", "options"}};
    for (size_t i = 0; i < graph.operators.size(); ++i) {
      const FileOperator& op = graph.operators[i];
      rows.push_back({absl::StrCat(i), NameOf(op), TensorList(op.inputs), TensorList(op.outputs),
                      OptionsText(op)});
    }
    parts.push_back({"\n", std::move(rows)});
  }
  if (detail.tensors) {
    targets::Rows rows = {{"#", "type", "kind", "name"}};
    for (size_t i = 0; i < graph.tensors.size(); ++i) {
      const FileTensor& tensor = graph.tensors[i];
      rows.push_back({absl::StrCat("%", i), TypeText(tensor),
                      tensor.is_constant   ? "constant"
                      : tensor.is_variable ? "variable"
                                           : "activation",
                      tensor.name});
    }
    parts.push_back({"\n", std::move(rows)});
  }
}

nlohmann::ordered_json JsonOf(const FileGraph& graph) {
  nlohmann::ordered_json json;
  json["inputs"] = graph.inputs;
  json["outputs"] = graph.outputs;
  for (const FileTensor& tensor : graph.tensors) {
    json["tensors"].push_back({{"name", tensor.name},
                               {"type", ::circle::EnumNameTensorType(tensor.type)},
                               {"shape", tensor.shape},
                               {"constant", tensor.is_constant},
                               {"bytes", tensor.contents().size()}});
  }
  for (const FileOperator& op : graph.operators) {
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

}  // namespace

targets::Rows CountOperators(const FileModel& model) {
  targets::Rows rows;
  for (const auto& [name, count] : Counts(model)) rows.push_back({name, absl::StrCat(count)});
  return rows;
}

std::vector<targets::Part> Describe(const FileModel& model, const targets::Detail& detail) {
  std::vector<targets::Part> parts;
  const FileGraph& main = model.main();
  targets::Rows io = {{"", "name", "type"}};
  for (int32_t t : main.inputs) {
    const FileTensor& tensor = main.tensors[static_cast<size_t>(t)];
    io.push_back({"input", tensor.name, TypeText(tensor)});
  }
  for (int32_t t : main.outputs) {
    const FileTensor& tensor = main.tensors[static_cast<size_t>(t)];
    io.push_back({"output", tensor.name, TypeText(tensor)});
  }
  parts.push_back({"", std::move(io)});
  targets::Rows counts = {{"operator", "count"}};
  for (std::vector<std::string>& row : CountOperators(model)) counts.push_back(std::move(row));
  parts.push_back({absl::StrCat("\n", main.operators.size(), " operators, ", main.tensors.size(),
                                " tensors, ", ConstantBytes(model), " bytes of constants\n\n"),
                   std::move(counts)});
  DescribeGraph(main, detail, parts);
  for (size_t g = 1; g < model.graphs.size(); ++g) {
    const FileGraph& graph = model.graphs[g];
    parts.push_back({absl::StrCat("\nsubgraph ", g, " `", support::Printable(graph.name), "`, (",
                                  TensorList(graph.inputs), ") to (", TensorList(graph.outputs),
                                  "): ", graph.operators.size(), " operators, ",
                                  graph.tensors.size(), " tensors\n"),
                     {}});
    DescribeGraph(graph, detail, parts);
  }
  if (const std::string assumed = AssumedBy(model); !assumed.empty())
    parts.push_back({absl::StrCat("\nassumed: ", support::Printable(assumed), "\n"), {}});
  if (!model.metadata.empty()) {
    targets::Rows rows = {{"metadata", "bytes"}};
    for (const auto& [name, bytes] : model.metadata)
      rows.push_back({name, absl::StrCat(bytes.size())});
    parts.push_back({"\n", std::move(rows)});
  }
  return parts;
}

std::string JsonText(const FileModel& model) {
  nlohmann::ordered_json json;
  json["description"] = model.description;
  json.update(JsonOf(model.main()));
  for (size_t g = 1; g < model.graphs.size(); ++g) {
    nlohmann::ordered_json graph = {{"name", model.graphs[g].name}};
    graph.update(JsonOf(model.graphs[g]));
    json["subgraphs"].push_back(std::move(graph));
  }
  for (const auto& [name, bytes] : model.metadata) json["metadata"][name] = bytes.size();
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tessera::circle
