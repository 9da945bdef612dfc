#include "targets/circle/operators.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "nlohmann/json.hpp"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/emission/parameters.h"
#include "targets/circle/file/calls.h"
#include "targets/circle/schema/schema.h"
#include "targets/size_facts.h"

namespace tessera::circle {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMostIntegers = 1024;  // of constants that are followed

template <class T>
std::vector<int64_t> IntegersAs(const FileTensor& tensor) {
  std::vector<int64_t> values(tensor.data.size() / sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, tensor.data.data() + i * sizeof(T), sizeof value);
    values[i] = static_cast<int64_t>(value);
  }
  return values;
}

std::optional<std::vector<int64_t>> IntegersOf(const FileTensor& tensor, ir::DType dtype) {
  int64_t count = 1;
  for (const int64_t dim : tensor.shape) {
    if (dim < 0 || dim > kMostIntegers || (count *= dim) > kMostIntegers) return std::nullopt;
  }
  switch (dtype) {
    case ir::DType::kI64:
      return IntegersAs<int64_t>(tensor);
    case ir::DType::kI32:
      return IntegersAs<int32_t>(tensor);
    case ir::DType::kI16:
      return IntegersAs<int16_t>(tensor);
    case ir::DType::kI8:
      return IntegersAs<int8_t>(tensor);
    case ir::DType::kU32:
      return IntegersAs<uint32_t>(tensor);
    case ir::DType::kU16:
      return IntegersAs<uint16_t>(tensor);
    case ir::DType::kU8:
    case ir::DType::kBool:
      return IntegersAs<uint8_t>(tensor);
    default:
      return std::nullopt;
  }
}

recheck::Artifact::Tensor TensorOf(const FileTensor& own) {
  recheck::Artifact::Tensor tensor;
  tensor.name = own.name;
  tensor.shape = own.shape;
  tensor.is_constant = own.is_constant;
  if (const std::optional<ir::DType> dtype = DTypeOf(own.type)) {
    tensor.type = std::string(ir::NameOf(*dtype));
    if (own.is_constant) tensor.integers = IntegersOf(own, *dtype);
  }
  return tensor;
}

// What tensors are quantized by, which the definition has as attributes and operands.
void AddParameters(const FileGraph& graph, const FileOperator& own, const ir::OpInfo& info,
                   recheck::Artifact::Operator& op,
                   std::vector<recheck::Artifact::Tensor>& tensors) {
  const auto tensor_named = [&](std::string_view name) {
    return TensorNamed(graph, own, info, name);
  };
  std::vector<ir::Attribute> attrs(info.attrs.size());
  const auto operands = ReadParameterOperands(info, tensor_named);
  // What does not fit is missed by the definition.
  if (!ReadParameters(info, tensor_named, attrs).ok() || !operands.ok()) return;
  for (size_t i = 0; i < attrs.size(); ++i) {
    const std::string name(info.attrs[i].name);
    if (const auto* number = std::get_if<double>(&attrs[i])) {
      op.options[name] = *number;
    } else if (const auto* integer = std::get_if<int64_t>(&attrs[i])) {
      op.options[name] = *integer;
    } else if (const auto* dtype = std::get_if<ir::DType>(&attrs[i])) {
      if (const std::optional<TensorType> type = TypeOf(*dtype))
        op.options[name] = std::string(::circle::EnumNameTensorType(*type));
    }
  }
  for (size_t i = 0; i < operands->size(); ++i) {
    if (!(*operands)[i].has_value()) continue;
    op.inputs.resize(std::max(op.inputs.size(), i + 1), -1);
    op.inputs[i] = static_cast<int32_t>(tensors.size());
    recheck::Artifact::Tensor& tensor = tensors.emplace_back();
    tensor.name = std::string(info.operands[i].name);
    tensor.type = std::string(ir::NameOf((*operands)[i]->dtype()));
    tensor.shape = {(*operands)[i]->shape().begin(), (*operands)[i]->shape().end()};
    tensor.is_constant = true;
  }
}

recheck::Artifact::Operator OperatorOf(const FileGraph& graph, const FileOperator& own,
                                       const std::string& dialect,
                                       std::vector<recheck::Artifact::Tensor>& tensors) {
  recheck::Artifact::Operator op;
  op.name = std::string(OperatorName(own.builtin_code));
  op.inputs = own.inputs;
  op.outputs = own.outputs;
  for (const auto& [name, value] : own.options)
    std::visit([&, &field = name](const auto& v) { op.options[field] = v; }, value);
  const ir::OpInfo* const info = DefinitionOf(graph, own);
  if (info != nullptr && info->dialect != dialect) {
    op.dialect = std::string(info->dialect);
    op.name = std::string(info->name);
    AddParameters(graph, own, *info, op, tensors);
  }
  using Runs = recheck::Artifact::Operator::Runs;
  const GraphCall call = CallOf(own);
  const bool both = call.graphs.size() == 2 && call.graphs[0] > 0 && call.graphs[1] > 0;
  if (both && (call.kind == GraphCall::kWhile || call.kind == GraphCall::kIf)) {
    op.runs = call.kind == GraphCall::kWhile ? Runs::kLoop : Runs::kBranch;
    for (size_t i = 0; i < 2; ++i) op.graphs[i] = static_cast<size_t>(call.graphs[i]) - 1;
  }
  return op;
}

// Of each input, by its name.
std::map<std::string, std::vector<std::string>> DimsOfInputs(const FileModel& model) {
  std::map<std::string, std::vector<std::string>> dims;
  const auto entry = model.metadata.find(targets::kSizeFactsName);
  if (entry == model.metadata.end()) return dims;
  const Json facts = Json::parse(entry->second, nullptr, /*allow_exceptions=*/false);
  if (!facts.is_object()) return dims;
  for (const Json& input : facts.value("inputs", Json::array())) {
    if (!input.is_object() || !input.contains("name") || !input["name"].is_string()) continue;
    std::vector<std::string>& texts = dims[input["name"].get<std::string>()];
    for (const Json& dim : input.value("dims", Json::array()))
      texts.push_back(dim.is_string() ? dim.get<std::string>() : "");
  }
  return dims;
}

// Of sizes that data decide, by tensor.
std::map<int32_t, std::string> CountedBy(const FileModel& model) {
  std::map<int32_t, std::string> counted;
  const auto entry = model.metadata.find(targets::kSizeFactsName);
  if (entry == model.metadata.end()) return counted;
  const absl::StatusOr<targets::SizeFacts> facts = targets::SizeFacts::Parse(entry->second);
  if (!facts.ok()) return counted;
  const std::vector<FileTensor>& tensors = model.main().tensors;
  for (const targets::CountedSize& size : facts->counted()) {
    for (size_t t = 0; t < tensors.size(); ++t) {
      if (tensors[t].name == size.tensor) counted.emplace(static_cast<int32_t>(t), size.symbol);
    }
  }
  return counted;
}

}  // namespace

recheck::Artifact OperatorsOf(const FileModel& model) {
  recheck::Artifact artifact;
  artifact.dialect = "circle";
  for (const TensorType type : ::circle::EnumValuesTensorType()) {
    if (const std::optional<ir::DType> dtype = DTypeOf(type))
      artifact.types[::circle::EnumNameTensorType(type)] = std::string(ir::NameOf(*dtype));
  }
  const auto read = [&](const FileGraph& graph, std::vector<recheck::Artifact::Tensor>& tensors,
                        std::vector<recheck::Artifact::Operator>& operators) {
    for (const FileTensor& tensor : graph.tensors) tensors.push_back(TensorOf(tensor));
    for (const FileOperator& op : graph.operators)
      operators.push_back(OperatorOf(graph, op, artifact.dialect, tensors));
  };
  read(model.main(), artifact.tensors, artifact.operators);
  for (size_t g = 1; g < model.graphs.size(); ++g) {
    recheck::Artifact::Graph& graph = artifact.graphs.emplace_back();
    read(model.graphs[g], graph.tensors, graph.operators);
    graph.inputs = model.graphs[g].inputs;
    graph.outputs = model.graphs[g].outputs;
  }
  artifact.counted = CountedBy(model);
  if (model.signatures.empty()) return artifact;
  const std::map<std::string, std::vector<std::string>> dims = DimsOfInputs(model);
  for (const auto& [name, tensor] : model.signatures[0].inputs) {
    const auto known = dims.find(name);
    artifact.inputs.push_back(
        {name, tensor, known == dims.end() ? std::vector<std::string>() : known->second});
  }
  for (const auto& [name, tensor] : model.signatures[0].outputs)
    artifact.outputs.push_back({name, tensor, {}});
  return artifact;
}

}  // namespace tessera::circle
