// The part of Executor that makes a file ready to run: attributes from options, tensors from
// constants, when each tensor is read last.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/emission/parameters.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/check.h"
#include "targets/circle/lowering/legalize.h"
#include "targets/circle/schema/schema.h"

namespace tessera::circle {
namespace {

absl::Status At(const std::string& place, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(place, ": ", status.message()));
}

// An option's value as the attribute that it is in the operator's definition.
absl::StatusOr<ir::Attribute> AttributeOf(const OptionValue& value, const ir::AttrSpec& spec) {
  const absl::Status wrong_kind = absl::InvalidArgumentError(
      absl::StrCat("option `", std::string(spec.name), "` is of another kind"));
  switch (spec.kind) {
    case ir::AttrKind::kInt:
      if (const auto* v = std::get_if<int64_t>(&value)) return ir::Attribute(*v);
      return wrong_kind;
    case ir::AttrKind::kBool:
      if (const auto* v = std::get_if<bool>(&value)) return ir::Attribute(int64_t{*v});
      return wrong_kind;
    case ir::AttrKind::kFloat:
      if (const auto* v = std::get_if<double>(&value)) return ir::Attribute(*v);
      return wrong_kind;
    case ir::AttrKind::kInts:
      if (const auto* v = std::get_if<std::vector<int64_t>>(&value)) return ir::Attribute(*v);
      return wrong_kind;
    case ir::AttrKind::kEnum: {
      const auto* name = std::get_if<std::string>(&value);
      if (name == nullptr) return wrong_kind;
      const auto found = std::find(spec.enum_names.begin(), spec.enum_names.end(), *name);
      if (found == spec.enum_names.end()) {
        return absl::UnimplementedError(absl::StrCat("option `", std::string(spec.name), "` is ",
                                                     *name,
                                                     ", which the operator does not have here"));
      }
      return ir::Attribute(static_cast<int64_t>(found - spec.enum_names.begin()));
    }
    case ir::AttrKind::kDType: {
      const auto* name = std::get_if<std::string>(&value);
      const ::reflection::Enum* types = FindEnum("TensorType");
      if (name == nullptr || types == nullptr) return wrong_kind;
      const std::optional<int64_t> member = MemberValue(*types, *name);
      const std::optional<ir::DType> dtype =
          member.has_value() ? DTypeOf(static_cast<TensorType>(*member)) : std::nullopt;
      if (!dtype.has_value()) {
        return absl::UnimplementedError(
            absl::StrCat("option `", std::string(spec.name), "` is ", *name));
      }
      return ir::Attribute(*dtype);
    }
    default:
      return wrong_kind;
  }
}

// A view of the file's bytes, or a copy where they are not aligned for their type.
absl::StatusOr<ir::Tensor> ConstantOf(const FileTensor& tensor) {
  const std::optional<ir::DType> dtype = DTypeOf(tensor.type);
  if (!dtype.has_value())
    return absl::UnimplementedError("a constant of a type that no operator here takes");
  if (tensor.source != nullptr) return ir::Tensor::Deferred(*dtype, tensor.shape, tensor.source);
  if (reinterpret_cast<uintptr_t>(tensor.data.data()) % ir::SizeOf(*dtype) == 0) {
    return ir::Tensor::View(*dtype, tensor.shape, tensor.owner, tensor.data);
  }
  absl::StatusOr<ir::Tensor> copy = ir::Tensor::Allocate(*dtype, tensor.shape);
  if (copy.ok()) {
    if (copy->bytes().size() != tensor.data.size())
      return absl::InvalidArgumentError("a constant of another size than its shape says");
    if (!tensor.data.empty())
      std::memcpy(copy->mutable_data<uint8_t>(), tensor.data.data(), tensor.data.size());
  }
  return copy;
}

}  // namespace

absl::Status Executor::Prepare() {
  if (absl::Status status = ErrorsOf(CheckCircle(model_)); !status.ok()) return status;
  for (size_t g = 0; g < model_.graphs.size(); ++g) {
    if (absl::Status status = Prepare(model_.graphs[g]); !status.ok()) {
      return absl::Status(status.code(), absl::StrCat(GraphPlace(model_, g), status.message()));
    }
  }
  const auto facts = model_.metadata.find(targets::kSizeFactsName);
  if (facts != model_.metadata.end()) {
    absl::StatusOr<targets::SizeFacts> parsed = targets::SizeFacts::Parse(facts->second);
    if (!parsed.ok()) return parsed.status();
    facts_ = *std::move(parsed);
    const std::vector<FileTensor>& tensors = model_.main().tensors;
    for (const targets::CountedSize& size : facts_->counted()) {
      const auto it = std::find_if(tensors.begin(), tensors.end(), [&](const FileTensor& tensor) {
        return tensor.name == size.tensor;
      });
      if (it == tensors.end()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "facts about sizes: `", size.symbol, "` is counted by a tensor that is not there"));
      }
      counted_.emplace(static_cast<int32_t>(it - tensors.begin()), size.symbol);
    }
  }
  return absl::OkStatus();
}

absl::Status Executor::Prepare(const FileGraph& graph) {
  Program& program = programs_.emplace_back();
  program.constants.resize(graph.tensors.size());
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    if (graph.tensors[t].is_variable) {
      return absl::UnimplementedError(
          absl::StrCat(TensorPlace(graph, static_cast<int64_t>(t)),
                       ": a variable, which keeps its value from one run to the next"));
    }
    if (!graph.tensors[t].is_constant) continue;
    absl::StatusOr<ir::Tensor> constant = ConstantOf(graph.tensors[t]);
    if (!constant.ok()) return At(TensorPlace(graph, static_cast<int64_t>(t)), constant.status());
    program.constants[t] = *std::move(constant);
  }
  std::vector<int64_t> last_reader(graph.tensors.size(), -1);
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const FileOperator& op = graph.operators[i];
    for (int32_t input : op.inputs) {
      if (input >= 0) last_reader[static_cast<size_t>(input)] = static_cast<int64_t>(i);
    }
    absl::StatusOr<Step> step = StepOf(graph, op);
    if (!step.ok()) return At(OperatorPlace(graph, static_cast<int64_t>(i)), step.status());
    program.steps.push_back(*std::move(step));
  }
  for (int32_t output : graph.outputs) last_reader[static_cast<size_t>(output)] = -1;
  for (size_t t = 0; t < last_reader.size(); ++t) {
    if (last_reader[t] < 0) continue;
    program.steps[static_cast<size_t>(last_reader[t])].released.push_back(static_cast<int32_t>(t));
  }
  return absl::OkStatus();
}

absl::StatusOr<Executor::Step> Executor::StepOf(const FileGraph& graph, const FileOperator& op) {
  Step step;
  std::vector<ir::OperandInfo<ir::Expr>> operands;
  for (int32_t input : op.inputs) {
    ir::OperandInfo<ir::Expr>& info = operands.emplace_back();
    info.present = input >= 0;
    if (input < 0) continue;
    const FileTensor& tensor = graph.tensors[static_cast<size_t>(input)];
    const std::optional<ir::DType> dtype = DTypeOf(tensor.type);
    if (!dtype.has_value() || tensor.is_variable) {
      return absl::UnimplementedError(absl::StrCat(
          TensorPlace(graph, input), " is a state, or of a type that no operator here takes"));
    }
    info.dtype = *dtype;
  }
  step.call = CallOf(op);
  if (step.call.kind == GraphCall::kWhile || step.call.kind == GraphCall::kIf) return step;
  step.info = DefinitionOf(graph, op);
  if (step.info == nullptr) {
    return absl::UnimplementedError(
        "no definition of this operator for its types, or for quantized tensors");
  }
  step.attrs.resize(step.info->attrs.size());
  for (size_t a = 0; a < step.attrs.size(); ++a) {
    const OptionValue* option = FindOption(op, step.info->attrs[a].name);
    if (option == nullptr) continue;
    absl::StatusOr<ir::Attribute> attribute = AttributeOf(*option, step.info->attrs[a]);
    if (!attribute.ok()) return attribute.status();
    step.attrs[a] = *std::move(attribute);
  }
  const auto tensor_named = [&](std::string_view name) {
    return TensorNamed(graph, op, *step.info, name);
  };
  if (absl::Status status = ReadParameters(*step.info, tensor_named, step.attrs); !status.ok())
    return status;
  absl::StatusOr<std::vector<std::optional<ir::Tensor>>> parameters =
      ReadParameterOperands(*step.info, tensor_named);
  if (!parameters.ok()) return parameters.status();
  step.parameters = *std::move(parameters);
  for (size_t i = 0; i < step.parameters.size(); ++i) {
    if (!step.parameters[i].has_value()) continue;
    operands.resize(std::max(operands.size(), i + 1));
    operands[i].present = true;
    operands[i].dtype = step.parameters[i]->dtype();
  }
  if (absl::Status status = step.info->complete(operands, step.attrs); !status.ok()) return status;
  return step;
}

}  // namespace tessera::circle
