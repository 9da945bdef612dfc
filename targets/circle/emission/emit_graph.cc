#include "targets/circle/emission/emit_graph.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/data_size.h"
#include "ir/registry.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/emission/parameters.h"
#include "targets/circle/emission/versions.h"
#include "targets/circle/lowering/legalize.h"
#include "targets/circle/schema/operator_rules.h"

namespace tessera::circle {
namespace {

using ir::Operation;
using ir::Value;

OptionValue NameOfType(TensorType type) {
  return OptionValue(std::string(::circle::EnumNameTensorType(type)));
}

// nullopt: an attribute that the file leaves to the default.
absl::StatusOr<std::optional<OptionValue>> OptionOf(const ir::Attribute& attribute,
                                                    const ir::AttrSpec& spec) {
  switch (spec.kind) {
    case ir::AttrKind::kInt:
      return OptionValue(std::get<int64_t>(attribute));
    case ir::AttrKind::kBool:
      return OptionValue(std::get<int64_t>(attribute) != 0);
    case ir::AttrKind::kFloat:
      return OptionValue(std::get<double>(attribute));
    case ir::AttrKind::kEnum:
      return OptionValue(
          std::string(spec.enum_names[static_cast<size_t>(std::get<int64_t>(attribute))]));
    case ir::AttrKind::kDType:
      return NameOfType(*TypeOf(std::get<ir::DType>(attribute)));
    case ir::AttrKind::kInts: {
      const auto& list = std::get<std::vector<int64_t>>(attribute);
      if (list.empty()) return std::nullopt;
      return OptionValue(list);
    }
    default:
      return absl::InternalError(
          absl::StrCat("attribute `", std::string(spec.name), "` has no option's kind"));
  }
}

}  // namespace

absl::Status GraphEmitter::Append(const Operation& op) {
  if (ir::IsDataSize(op)) {
    const absl::StatusOr<int32_t> counted = Read(*op.operand(0), op.location().ToString());
    if (!counted.ok()) return counted.status();
    tensors_[op.result()] = *counted;
    // One that cannot be but one number has no symbol left.
    const ir::Expr& size = std::get<ir::Expr>(op.attr(0));
    if (!size.IsConstant()) counted_.emplace_back(size.ToString(), *counted);
    return absl::OkStatus();
  }
  const ir::CodeInfo* code = op.info().code;
  if (code == nullptr) {
    return absl::InternalError(
        absl::StrCat("`", std::string(op.info().name), "` has no code in the format"));
  }
  FileOperator file_op;
  file_op.builtin_code = code->code;
  file_op.version = VersionOf(op);
  file_op.options_table = std::string(code->options);
  for (size_t i = 0; i < op.operands().size(); ++i) {
    const Value* operand = op.operand(i);
    const ir::OperandSpec& spec = op.info().operands[std::min(i, op.info().operands.size() - 1)];
    if (IsParameter(op.info(), spec.name)) continue;
    if (operand == nullptr) {
      file_op.inputs.push_back(-1);
      continue;
    }
    const absl::StatusOr<int32_t> tensor =
        ReadAs(op, *operand, spec.name,
               absl::StrCat(op.location().ToString(), ":", std::string(spec.name)));
    if (!tensor.ok()) return tensor.status();
    file_op.inputs.push_back(*tensor);
  }
  const OperatorRule* rule = FindOperatorRule(code->code);
  const size_t least = rule == nullptr ? 0 : static_cast<size_t>(rule->min_inputs);
  // Behind an absent operand there may have been parameters only.
  while (file_op.inputs.size() > least && file_op.inputs.back() < 0) file_op.inputs.pop_back();
  while (file_op.inputs.size() < least) file_op.inputs.push_back(-1);
  for (size_t i = 0; i < op.results().size(); ++i) {
    const int32_t tensor = Add(
        *op.result(i), absl::StrCat(op.location().ToString(), ":", std::string(op.info().name)));
    file_op.outputs.push_back(tensor);
    const absl::StatusOr<std::optional<FileQuantization>> by =
        QuantizationOf(op, op.info().results[i].name);
    if (!by.ok()) return by.status();
    if (by->has_value()) {
      TensorAt(tensor).quantization = *by;
    } else {
      Move(op, file_op, tensor);
    }
  }
  if (!file_op.options_table.empty()) {
    for (size_t i = 0; i < op.attrs().size(); ++i) {
      const ir::AttrSpec& spec = op.info().attrs[i];
      if (IsParameter(op.info(), spec.name)) continue;
      absl::StatusOr<std::optional<OptionValue>> option = OptionOf(op.attr(i), spec);
      if (!option.ok()) return option.status();
      if (option->has_value())
        file_op.options.emplace_back(std::string(spec.name), *std::move(*option));
    }
  }
  // Of quantized tensors, the same code would compute with the numbers.
  if (op.info().dialect == kDialect &&
      ir::Registry::Global().WithCode(kIntegers, code->code) != nullptr) {
    for (const std::vector<int32_t>& tensors : {file_op.inputs, file_op.outputs}) {
      for (const int32_t tensor : tensors) {
        if (tensor >= 0 && !TensorAt(tensor).quantization.has_value()) as_stored_.insert(tensor);
      }
    }
  }
  graph_.operators.push_back(std::move(file_op));
  return absl::OkStatus();
}

std::vector<targets::CountedSize> GraphEmitter::counted() const {
  std::vector<targets::CountedSize> sizes;
  for (const auto& [symbol, tensor] : counted_)
    sizes.push_back({symbol, graph_.tensors[static_cast<size_t>(tensor)].name});
  return sizes;
}

absl::StatusOr<int32_t> GraphEmitter::Read(const Value& value, const std::string& name) {
  if (const auto known = tensors_.find(&value); known != tensors_.end()) return known->second;
  if (value.constant() != nullptr) return Add(value, name);
  return absl::InternalError(absl::StrCat("`", name, "` is not computed"));
}

absl::StatusOr<int32_t> GraphEmitter::ReadAs(const Operation& op, const Value& value,
                                             std::string_view operand, const std::string& name) {
  const absl::StatusOr<int32_t> tensor = Read(value, name);
  if (!tensor.ok() || ir::IsFloat(value.type().dtype)) return tensor;
  const absl::StatusOr<std::optional<FileQuantization>> by = QuantizationOf(op, operand);
  if (!by.ok()) return by.status();
  if (!by->has_value()) return tensor;
  std::optional<FileQuantization>& known = TensorAt(*tensor).quantization;
  if (known == **by || (!known.has_value() && as_stored_.count(*tensor) == 0)) {
    known = *by;
    return tensor;
  }
  if (value.constant() == nullptr) return Reinterpreted(*tensor, value.type(), **by, name);
  // The same integers, which stand for other numbers.
  const int32_t other = Add(value, name);
  TensorAt(other).quantization = *by;
  return other;
}

// By way of integers that stand for themselves, since conversions between quantized tensors keep
// the numbers.
int32_t GraphEmitter::Reinterpreted(int32_t tensor, const ir::TensorType& type,
                                    const FileQuantization& by, const std::string& name) {
  ir::TensorType plain = type;
  plain.dtype = ir::DType::kI32;
  const auto cast = [&](int32_t from, const ir::TensorType& to) {
    FileOperator op;
    op.builtin_code = ::circle::BuiltinOperator_CAST;
    op.options_table = "CastOptions";
    const int32_t result = AddUnnamed(to, name);
    op.options = {{"in_data_type", NameOfType(TensorAt(from).type)},
                  {"out_data_type", NameOfType(TensorAt(result).type)}};
    op.inputs = {from};
    op.outputs = {result};
    graph_.operators.push_back(std::move(op));
    return result;
  };
  const int32_t again = cast(cast(tensor, plain), type);
  TensorAt(again).quantization = by;
  return again;
}

void GraphEmitter::Move(const Operation& op, FileOperator& file_op, int32_t result) {
  const TensorType type = TensorAt(result).type;
  if (BitsOf(type) > 16) return;
  std::optional<FileQuantization> by;
  for (const int32_t input : file_op.inputs) {
    if (input < 0 || TensorAt(input).type != type || !TensorAt(input).quantization.has_value())
      continue;
    by = TensorAt(input).quantization;
    break;
  }
  if (!by.has_value()) return;
  TensorAt(result).quantization = by;
  // Its constants are among the elements.
  for (size_t i = 0; i < file_op.inputs.size(); ++i) {
    int32_t& input = file_op.inputs[i];
    if (input < 0 || !TensorAt(input).is_constant || TensorAt(input).type != type ||
        TensorAt(input).quantization == by) {
      continue;
    }
    if (TensorAt(input).quantization.has_value()) input = Add(*op.operand(i), TensorAt(input).name);
    TensorAt(input).quantization = by;
  }
}

int32_t GraphEmitter::Add(const Value& value, const std::string& name) {
  FileTensor tensor;
  if (const auto reserved = reserved_.find(&value); reserved != reserved_.end()) {
    tensor.name = reserved->second;
  } else {
    tensor.name = Unique(value.name().empty() ? name : value.name());
  }
  tensor.type = *TypeOf(value.type().dtype);
  for (const ir::Expr& dim : value.type().dims) tensor.shape.push_back(dim.Constant().value_or(-1));
  if (const ir::Tensor* constant = value.constant()) {
    tensor.is_constant = true;
    tensor.source = constant->source();
    if (tensor.source != nullptr) {
      tensor.source_bytes = constant->byte_size();
    } else {
      tensor.data = constant->bytes();
      tensor.owner = constant->owner();
    }
  }
  const int32_t index = static_cast<int32_t>(graph_.tensors.size());
  graph_.tensors.push_back(std::move(tensor));
  tensors_[&value] = index;
  return index;
}

int32_t GraphEmitter::AddUnnamed(const ir::TensorType& type, const std::string& name) {
  FileTensor& tensor = graph_.tensors.emplace_back();
  tensor.name = Unique(name);
  tensor.type = *TypeOf(type.dtype);
  for (const ir::Expr& dim : type.dims) tensor.shape.push_back(dim.Constant().value_or(-1));
  return static_cast<int32_t>(graph_.tensors.size()) - 1;
}

void GraphEmitter::Expect(size_t tensors, size_t operators) {
  graph_.tensors.reserve(tensors);
  graph_.operators.reserve(operators);
  tensors_.reserve(tensors);
  names_.reserve(tensors);
}

void GraphEmitter::Reserve(const Value* value, const std::string& name) {
  reserved_[value] = name;
  names_.insert(name);
}

std::string GraphEmitter::Unique(const std::string& name) {
  if (names_.insert(name).second) return name;
  int& count = repeats_[name];
  for (;;) {
    std::string numbered = absl::StrCat(name, "#", ++count);
    if (names_.insert(numbered).second) return numbered;
  }
}

}  // namespace tessera::circle
