#include "targets/circle/executor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/registry.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/file/check.h"
#include "targets/circle/file/reader.h"
#include "targets/circle/lowering/legalize.h"
#include "targets/circle/schema/schema.h"
#include "targets/reference/run_op.h"

namespace tessera::circle {
namespace {

absl::Status At(const std::string& place, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(place, ": ", status.message()));
}

std::string Text(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ","), "]");
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

absl::StatusOr<Executor> Executor::Create(absl::Span<const uint8_t> bytes,
                                          std::shared_ptr<const void> owner) {
  absl::StatusOr<FileModel> model = ReadCircle(bytes, std::move(owner));
  if (!model.ok()) return model.status();
  Executor executor;
  executor.model_ = *std::move(model);
  if (absl::Status status = executor.Prepare(); !status.ok()) return status;
  return executor;
}

absl::StatusOr<Executor> Executor::FromFile(const std::string& path) {
  absl::StatusOr<FileModel> model = ReadCircleFile(path);
  if (!model.ok()) return model.status();
  Executor executor;
  executor.model_ = *std::move(model);
  if (absl::Status status = executor.Prepare(); !status.ok()) return At(path, status);
  return executor;
}

absl::Status Executor::Prepare() {
  if (absl::Status status = ErrorsOf(CheckCircle(model_)); !status.ok()) return status;
  constants_.resize(model_.tensors.size());
  for (size_t t = 0; t < model_.tensors.size(); ++t) {
    if (!model_.tensors[t].is_constant) continue;
    absl::StatusOr<ir::Tensor> constant = ConstantOf(model_.tensors[t]);
    if (!constant.ok()) return At(TensorPlace(model_, static_cast<int64_t>(t)), constant.status());
    constants_[t] = *std::move(constant);
  }
  std::vector<int64_t> last_reader(model_.tensors.size(), -1);
  for (size_t i = 0; i < model_.operators.size(); ++i) {
    const FileOperator& op = model_.operators[i];
    const std::string place = OperatorPlace(model_, static_cast<int64_t>(i));
    Step step;
    step.info = ir::Registry::Global().WithCode(kDialect, op.builtin_code);
    if (step.info == nullptr)
      return absl::UnimplementedError(absl::StrCat(place, ": no definition of this operator"));
    step.attrs.resize(step.info->attrs.size());
    std::vector<ir::OperandInfo<ir::Expr>> operands;
    for (int32_t input : op.inputs) {
      ir::OperandInfo<ir::Expr>& info = operands.emplace_back();
      info.present = input >= 0;
      if (input < 0) continue;
      last_reader[static_cast<size_t>(input)] = static_cast<int64_t>(i);
      const FileTensor& tensor = model_.tensors[static_cast<size_t>(input)];
      const std::optional<ir::DType> dtype = DTypeOf(tensor.type);
      if (!dtype.has_value() || tensor.quantization.has_value() || tensor.is_variable) {
        return absl::UnimplementedError(
            absl::StrCat(place, ": ", TensorPlace(model_, input),
                         " is quantized, a state, or of a type that no operator here takes"));
      }
      info.dtype = *dtype;
    }
    for (size_t a = 0; a < step.attrs.size(); ++a) {
      const OptionValue* option = FindOption(op, step.info->attrs[a].name);
      if (option == nullptr) continue;
      absl::StatusOr<ir::Attribute> attribute = AttributeOf(*option, step.info->attrs[a]);
      if (!attribute.ok()) return At(place, attribute.status());
      step.attrs[a] = *std::move(attribute);
    }
    if (absl::Status status = step.info->complete(operands, step.attrs); !status.ok())
      return At(place, status);
    steps_.push_back(std::move(step));
  }
  for (int32_t output : model_.outputs) last_reader[static_cast<size_t>(output)] = -1;
  for (size_t t = 0; t < last_reader.size(); ++t) {
    if (last_reader[t] >= 0)
      steps_[static_cast<size_t>(last_reader[t])].released.push_back(static_cast<int32_t>(t));
  }
  const auto facts = model_.metadata.find(kSizeFactsName);
  if (facts != model_.metadata.end()) {
    absl::StatusOr<SizeFacts> parsed = SizeFacts::Parse(facts->second);
    if (!parsed.ok()) return parsed.status();
    facts_ = *std::move(parsed);
  }
  return absl::OkStatus();
}

absl::Status Executor::CheckType(int32_t index, const ir::Tensor& tensor) const {
  const FileTensor& declared = model_.tensors[static_cast<size_t>(index)];
  bool fits =
      DTypeOf(declared.type) == tensor.dtype() && declared.shape.size() == tensor.shape().size();
  for (size_t d = 0; fits && d < declared.shape.size(); ++d) {
    fits = declared.shape[d] < 0 || declared.shape[d] == tensor.shape()[d];
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(TensorPlace(model_, index), " is ", std::string(ir::NameOf(tensor.dtype())),
                   Text(tensor.shape()), ", declared is ",
                   ::circle::EnumNameTensorType(declared.type), Text(declared.shape)));
}

absl::StatusOr<std::vector<ir::Tensor>> Executor::Run(absl::Span<const ir::Tensor> inputs) const {
  if (inputs.size() != model_.inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(inputs.size(), " inputs, the file has ", model_.inputs.size()));
  }
  std::vector<std::optional<ir::Tensor>> tensors(model_.tensors.size());
  std::vector<std::vector<int64_t>> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (absl::Status status = CheckType(model_.inputs[i], inputs[i]); !status.ok()) return status;
    tensors[static_cast<size_t>(model_.inputs[i])] = inputs[i];
    shapes.push_back(inputs[i].shape());
  }
  if (facts_.has_value()) {
    if (absl::Status status = facts_->Check(shapes); !status.ok()) return status;
  }
  const auto tensor = [&](int32_t index) {
    const size_t t = static_cast<size_t>(index);
    return constants_[t].has_value() ? &*constants_[t]
           : tensors[t].has_value()  ? &*tensors[t]
                                     : nullptr;
  };
  for (size_t i = 0; i < steps_.size(); ++i) {
    const FileOperator& op = model_.operators[i];
    std::vector<const ir::Tensor*> operands;
    for (int32_t input : op.inputs) operands.push_back(input < 0 ? nullptr : tensor(input));
    absl::StatusOr<std::vector<ir::Tensor>> results =
        reference::RunOp(*steps_[i].info, operands, steps_[i].attrs);
    if (!results.ok()) return At(OperatorPlace(model_, static_cast<int64_t>(i)), results.status());
    if (results->size() != op.outputs.size()) {
      return absl::InternalError(absl::StrCat(OperatorPlace(model_, static_cast<int64_t>(i)),
                                              " has ", op.outputs.size(),
                                              " results, its definition ", results->size()));
    }
    for (size_t r = 0; r < results->size(); ++r) {
      if (absl::Status status = CheckType(op.outputs[r], (*results)[r]); !status.ok()) {
        return absl::InternalError(
            absl::StrCat(OperatorPlace(model_, static_cast<int64_t>(i)), ": ", status.message()));
      }
      tensors[static_cast<size_t>(op.outputs[r])] = std::move((*results)[r]);
    }
    for (int32_t released : steps_[i].released) tensors[static_cast<size_t>(released)].reset();
  }
  std::vector<ir::Tensor> outputs;
  for (int32_t output : model_.outputs) {
    const ir::Tensor* result = tensor(output);
    if (result == nullptr)
      return absl::InternalError(absl::StrCat(TensorPlace(model_, output), " is never computed"));
    outputs.push_back(*result);
  }
  return outputs;
}

}  // namespace tessera::circle
