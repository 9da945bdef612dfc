#include "targets/npu/model/check.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "targets/npu/model/form.h"
#include "targets/npu/model/layer_check.h"

namespace tessera::npu {
namespace {

using Result = std::optional<Violation>;

// The feedback lies before the output, where it would not be aligned.
constexpr int64_t kNoFeedback = -41;
Result CheckAffine(const Operation& operation, const Device& device, LimitLog* log) {
  const bool diagonal = operation.type == OperationType::kElementWiseAffine;
  const bool grouped = HasGroupedBias(operation);
  LayerCheck form(device, diagonal ? "diagonal" : "affine", operation);
  CheckForm(operation, form);
  ParameterIn(operation, "bias_mode", {kBiasDefault, kBiasGrouping}, form);
  if (!form.ok()) return form.found();

  LayerCheck check(device,
                   diagonal  ? "diagonal"
                   : grouped ? "grouped"
                             : "affine",
                   operation, log, grouped ? kOutput : kInput);
  const bool scaled = operation.enabled(kScaleFactors);
  if (scaled || grouped) NeedParameter(operation, "bias_mode", check);
  if (scaled) NeedParameter(operation, "bias_vector_index", check);
  check.CheckOperand(kInput);
  check.CheckOperand(kOutput);
  if (grouped) NeedParameter(operation, "bias_vector_index", check);
  // Int8 weights of int16 inputs have multipliers: next to plain biases they are an operand.
  const bool multiplied = grouped && operation.operand(kWeights).type == DataType::kInt8 &&
                          operation.operand(kInput).type == DataType::kInt16;
  if (multiplied && !scaled) {
    const bool absent = operation.operand(kScaleFactors).mode == Mode::kAbsent;
    check.Fail(absent ? Item::kOperationOperands : Item::kOperandMode,
               absent ? Reason::kNullNotAllowed : Reason::kNotInSet, kScaleFactors, std::nullopt,
               std::nullopt, absent ? 0 : static_cast<int64_t>(Mode::kDisabled),
               "grouped.weight_scale_factors: i8 weights of i16 inputs need them");
  }
  check.CheckOperand(kWeights);
  check.CheckOperand(kBiases);
  if (grouped) {
    const int64_t column = operation.Number("bias_vector_index", 0);
    if (column < 0 || column >= check.Size("biases", 'W'))
      check.Fail(Item::kParameter, column < 0 ? Reason::kBelowRange : Reason::kAboveRange, kBiases,
                 ParameterIndex(operation.type, "bias_vector_index"), std::nullopt, column,
                 "bias_vector_index: a column of the biases");
    if (multiplied) check.CheckOperand(kScaleFactors);
  }
  check.CheckProducts();
  check.CheckTable(false);
  check.CheckPlainOutput(Reason::kNotInSet);
  const char* why = "agreement";
  if (diagonal) {
    check.Equal("output", 'H', check.Size("input", 'H'), why);
    check.Equal("weights", 'H', check.Size("input", 'H'), why);
  } else {
    check.Equal("weights", 'H', check.Size("output", 'H'), why);
    check.Equal("weights", 'W', check.Size("input", 'H'), why);
  }
  check.Equal("output", 'W', check.Size("input", 'W'), why);
  check.Equal("biases", 'H', check.Size("output", 'H'), why);
  if (multiplied) check.Equal("weight_scale_factors", 'H', check.Size("output", 'H'), why);
  return check.found();
}

Result CheckRecurrent(const Operation& operation, const Device& device, LimitLog* log) {
  LayerCheck check(device, "recurrent", operation, log);
  CheckForm(operation, check);
  check.CheckOperand(kInput);
  check.CheckOperand(kOutput);
  const int64_t inputs = check.Size("input", 'W'), outputs = check.Size("output", 'W');
  const int64_t rank = static_cast<int64_t>(operation.operand(kWeights).shape.size());
  if (rank != 2)
    check.Fail(Item::kShapeNumberOfDimensions, Reason::kNotEqual, kWeights, std::nullopt,
               std::nullopt, rank, "recurrent.weights.rank: 2");
  check.Equal("weights", 'W', inputs + outputs, "weights: inputs and outputs");
  check.Equal("weights", 'H', outputs, "weights: outputs");
  check.CheckOperand(kWeights);
  check.CheckOperand(kBiases);
  check.CheckProducts();
  check.CheckTable(true);
  const int64_t delay = operation.Number("delay", 0);
  const int64_t vectors = check.Size("input", 'H');
  if (delay < 1 || delay > vectors)
    check.Fail(Item::kParameter, delay < 1 ? Reason::kBelowRange : Reason::kAboveRange,
               std::nullopt, ParameterIndex(operation.type, "delay"), std::nullopt, delay,
               absl::StrCat("delay: 1..", vectors, ", the vectors of the input"));
  if (check.Size("output", 'H') != vectors)
    check.Fail(Item::kInternal, Reason::kOther, std::nullopt, std::nullopt, std::nullopt,
               kNoPosition, absl::StrCat("recurrent.agreement: ", vectors, " output vectors"));
  const int64_t bytes = delay * outputs * SizeOf(operation.operand(kOutput).type);
  if ((operation.operand(kOutput).address + bytes) % device.alignment != 0 ||
      bytes % device.alignment != 0)
    check.Fail(Item::kInternal, Reason::kOther, std::nullopt, std::nullopt, std::nullopt,
               kNoFeedback,
               absl::StrCat("alignment: the feedback of ", bytes, " bytes before the output, ",
                            device.alignment, " bytes"));
  check.Equal("biases", 'H', outputs, "agreement");
  return check.found();
}

Result CheckCopy(const Operation& operation, const Device& device, LimitLog* log) {
  LayerCheck check(device, "copy", operation, log);
  CheckForm(operation, check);
  check.CheckOperand(kInput);
  check.CheckOperand(kOutput);
  const Parameter* shape = operation.Find("copy_shape");
  if (shape != nullptr && shape->size() != 2)
    check.Fail(Item::kShapeNumberOfDimensions, Reason::kNotEqual, std::nullopt, std::nullopt,
               std::nullopt, static_cast<int64_t>(shape->size()), "copy.copy_shape.rank: 2");
  check.CheckSizes("copy_shape");
  const int64_t rows = check.Size("copy_shape", 'H');
  if (rows > check.Size("input", 'H'))
    check.Fail(Item::kShapeDimensions, Reason::kAboveRange, std::nullopt,
               ParameterIndex(operation.type, "copy_shape"), std::nullopt, rows,
               absl::StrCat("copy.copy_shape: at most ", check.Size("input", 'H'), " rows"));
  check.AtMost("copy_shape", 'W', check.Size("input", 'W'), "agreement");
  check.AtMost("copy_shape", 'H', check.Size("output", 'H'), "agreement");
  check.AtMost("copy_shape", 'W', check.Size("output", 'W'), "agreement");
  if (check.ok()) check.SameType(kOutput, kInput, "copy.agreement");
  return check.found();
}

Result CheckTransposition(const Operation& operation, const Device& device, LimitLog* log) {
  LayerCheck check(device, LayerOf(operation, device), operation, log);
  CheckForm(operation, check);
  check.CheckOperand(kInput);
  check.CheckOperand(kOutput);
  check.Equal("output", 'H', check.Size("input", 'W'), "output: the transposed input");
  check.Equal("output", 'W', check.Size("input", 'H'), "output: the transposed input");
  if (check.ok()) check.SameType(kOutput, kInput, "transposition.agreement");
  return check.found();
}

Result CheckOperation(const Operation& operation, const Device& device, LimitLog* log) {
  switch (operation.type) {
    case OperationType::kFullyConnectedAffine:
    case OperationType::kElementWiseAffine:
      return CheckAffine(operation, device, log);
    case OperationType::kRecurrent:
      return CheckRecurrent(operation, device, log);
    case OperationType::kCopy:
      return CheckCopy(operation, device, log);
    case OperationType::kTransposition:
      return CheckTransposition(operation, device, log);
    case OperationType::kConvolution:
      break;
  }
  const std::string_view layer = LayerOf(operation, device);
  return IsLegacyConvolution(operation) ? CheckLegacyConvolution(operation, device, log)
                                        : CheckImage(operation, device, layer, log);
}

}  // namespace

std::string_view LayerOf(const Operation& operation, const Device& device) {
  switch (operation.type) {
    case OperationType::kFullyConnectedAffine:
      return HasGroupedBias(operation) ? "grouped" : "affine";
    case OperationType::kElementWiseAffine:
      return "diagonal";
    case OperationType::kRecurrent:
      return "recurrent";
    case OperationType::kCopy:
      return "copy";
    case OperationType::kTransposition: {
      LayerCheck rows(device, "interleave", operation);
      rows.CheckOperand(kInput);
      return rows.ok() ? "interleave" : "deinterleave";
    }
    case OperationType::kConvolution:
      break;
  }
  if (IsLegacyConvolution(operation)) return "convolution_1d";
  return CheckImage(operation, device, "convolution_row", nullptr) ? "convolution_2d"
                                                                   : "convolution_row";
}

std::optional<Violation> CheckModel(const Model& model, const Device& device, LimitLog* log) {
  const int64_t count = static_cast<int64_t>(model.operations.size());
  if (count < device.operations.least || count > device.operations.most)
    return Violation{Item::kModelOperations,
                     count < device.operations.least ? Reason::kBelowRange : Reason::kAboveRange,
                     std::nullopt,
                     std::nullopt,
                     std::nullopt,
                     std::nullopt,
                     count,
                     absl::StrCat("operations: ", device.operations.Text(DataType::kNone))};
  if (log != nullptr)
    log->insert({"operations",
                 absl::StrCat(device.operations.least, " <= ", count, " && ", count,
                              " <= ", device.operations.most),
                 absl::StrCat(device.operations.Text(DataType::kNone), "; here ", count)});
  for (size_t i = 0; i < model.operations.size(); ++i) {
    Result result = CheckOperation(model.operations[i], device, log);
    if (!result.has_value()) continue;
    result->operation = static_cast<int64_t>(i);
    return result;
  }
  return std::nullopt;
}

}  // namespace tessera::npu
