#include "targets/circle/emission/parameters.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/registry.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {
namespace {

constexpr std::string_view kParts[] = {"_scale", "_zero_point", "_quantized_dimension", "_type"};

std::string Name(std::string_view tensor, std::string_view part) {
  return std::string(tensor) + std::string(part);
}

int OperandNamed(const ir::OpInfo& info, std::string_view name) {
  const auto found = std::find_if(info.operands.begin(), info.operands.end(),
                                  [&](const ir::OperandSpec& o) { return o.name == name; });
  return found == info.operands.end() ? -1 : static_cast<int>(found - info.operands.begin());
}

// The tensor and the part that a parameter's name is made of.
std::optional<std::pair<std::string_view, std::string_view>> PartsOf(const ir::OpInfo& info,
                                                                     std::string_view name) {
  // Elsewhere such a name is an option of the format: ARG_MAX has `output_type`.
  if (info.dialect != kIntegers) return std::nullopt;
  for (const std::string_view part : kParts) {
    if (name.size() <= part.size() || name.substr(name.size() - part.size()) != part) continue;
    const std::string_view tensor = name.substr(0, name.size() - part.size());
    const bool result =
        std::any_of(info.results.begin(), info.results.end(),
                    [&](const ir::ResultSpec& spec) { return spec.name == tensor; });
    if (result || OperandNamed(info, tensor) >= 0) return std::pair(tensor, part);
  }
  return std::nullopt;
}

// Definitions say of attributes what they may be, and nothing of the floats in an operand. A scale
// of 0 is that of a channel of zeros.
absl::Status CheckScales(std::string_view name, absl::Span<const float> scales) {
  for (const float scale : scales) {
    if (scale >= 0 && std::isfinite(scale)) continue;
    return absl::InvalidArgumentError(absl::StrCat("`", std::string(name), "` has a scale of ",
                                                   scale, "; scales are finite, and not negative"));
  }
  return absl::OkStatus();
}

}  // namespace

const ir::OpInfo* DefinitionOf(const FileGraph& graph, const FileOperator& op) {
  const auto is_quantized = [&](int32_t t) {
    return t >= 0 && graph.tensors[static_cast<size_t>(t)].quantization.has_value();
  };
  const ir::Registry& registry = ir::Registry::Global();
  if (std::any_of(op.inputs.begin(), op.inputs.end(), is_quantized) ||
      std::any_of(op.outputs.begin(), op.outputs.end(), is_quantized)) {
    const ir::OpInfo* integers = registry.WithCode(kIntegers, op.builtin_code);
    if (integers != nullptr) return integers;
  }
  return registry.WithCode(kDialect, op.builtin_code);
}

const FileTensor* TensorNamed(const FileGraph& graph, const FileOperator& op,
                              const ir::OpInfo& info, std::string_view name) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const ir::OperandSpec* spec = ir::OperandSpecAt(info, i);
    if (spec != nullptr && spec->name == name && op.inputs[i] >= 0)
      return &graph.tensors[static_cast<size_t>(op.inputs[i])];
  }
  for (size_t i = 0; i < op.outputs.size() && i < info.results.size(); ++i) {
    if (info.results[i].name == name && op.outputs[i] >= 0)
      return &graph.tensors[static_cast<size_t>(op.outputs[i])];
  }
  return nullptr;
}

bool IsParameter(const ir::OpInfo& info, std::string_view name) {
  return PartsOf(info, name).has_value();
}

absl::StatusOr<std::optional<FileQuantization>> QuantizationOf(const ir::Operation& op,
                                                               std::string_view name) {
  const ir::OpInfo& info = op.info();
  FileQuantization quantization;
  const int scale = ir::FindAttr(info, Name(name, "_scale"));
  const int zero_point = ir::FindAttr(info, Name(name, "_zero_point"));
  if (scale >= 0) {
    quantization.scale.push_back(
        static_cast<float>(std::get<double>(op.attr(static_cast<size_t>(scale)))));
    quantization.zero_point.push_back(
        zero_point < 0 ? 0 : std::get<int64_t>(op.attr(static_cast<size_t>(zero_point))));
    return quantization;
  }
  const int scales = OperandNamed(info, Name(name, "_scale"));
  if (scales < 0 || static_cast<size_t>(scales) >= op.operands().size() ||
      op.operand(static_cast<size_t>(scales)) == nullptr) {
    return std::nullopt;
  }
  const ir::Tensor* constant = op.operand(static_cast<size_t>(scales))->constant();
  if (constant == nullptr)
    return absl::InternalError(
        absl::StrCat("the scales of `", std::string(name), "` are computed"));
  for (int64_t i = 0; i < constant->size(); ++i)
    quantization.scale.push_back(static_cast<float>(constant->AsDouble(i)));
  if (absl::Status status = CheckScales(name, quantization.scale); !status.ok()) return status;
  quantization.zero_point.assign(quantization.scale.size(), 0);
  const int axis = ir::FindAttr(info, Name(name, "_quantized_dimension"));
  if (axis >= 0) {
    quantization.axis = static_cast<int32_t>(std::get<int64_t>(op.attr(static_cast<size_t>(axis))));
  }
  return quantization;
}

absl::Status ReadParameters(const ir::OpInfo& info, TensorByName tensor,
                            std::vector<ir::Attribute>& attrs) {
  for (size_t a = 0; a < info.attrs.size(); ++a) {
    const auto parts = PartsOf(info, info.attrs[a].name);
    if (!parts.has_value()) continue;
    const FileTensor* const from = tensor(parts->first);
    if (from == nullptr) continue;
    if (parts->second == "_type") {
      const std::optional<ir::DType> dtype = DTypeOf(from->type);
      if (dtype.has_value()) attrs[a] = *dtype;
      continue;
    }
    if (!from->quantization.has_value()) continue;
    const FileQuantization& by = *from->quantization;
    if (parts->second == "_quantized_dimension") {
      attrs[a] = int64_t{by.axis};
      continue;
    }
    if (by.scale.size() != 1 || by.zero_point.size() != 1) {
      return absl::UnimplementedError(absl::StrCat("`", from->name, "` has ", by.scale.size(),
                                                   " scales and ", by.zero_point.size(),
                                                   " zero points, one of each is taken here"));
    }
    if (parts->second == "_scale") {
      attrs[a] = double{by.scale[0]};
    } else {
      attrs[a] = by.zero_point[0];
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::optional<ir::Tensor>>> ReadParameterOperands(const ir::OpInfo& info,
                                                                             TensorByName tensor) {
  std::vector<std::optional<ir::Tensor>> operands(info.operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto parts = PartsOf(info, info.operands[i].name);
    if (!parts.has_value()) continue;
    const FileTensor* const from = tensor(parts->first);
    if (from == nullptr || !from->quantization.has_value()) continue;
    const FileQuantization& by = *from->quantization;
    if (std::any_of(by.zero_point.begin(), by.zero_point.end(), [](int64_t z) { return z != 0; })) {
      return absl::UnimplementedError(
          absl::StrCat("`", from->name, "` has a zero point other than 0"));
    }
    if (absl::Status status = CheckScales(from->name, by.scale); !status.ok()) return status;
    operands[i] = ir::Tensor::Of<float>(ir::DType::kF32, {static_cast<int64_t>(by.scale.size())},
                                        absl::MakeConstSpan(by.scale));
  }
  return operands;
}

}  // namespace tessera::circle
