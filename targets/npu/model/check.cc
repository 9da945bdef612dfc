#include "targets/npu/model/check.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "targets/npu/model/layer_check.h"

namespace tessera::npu {
namespace {

using Result = std::optional<Violation>;

// The feedback lies before the output, where it would not be aligned.
constexpr int64_t kNoFeedback = -41;
// What the library says of sizes that leave no position.
constexpr int64_t kNoPosition = -37;

// Operands and parameters that an operation of the type has whatever the generation.
void CheckForm(const Operation& operation, LayerCheck& check) {
  const OperationFacts& facts = FactsOf(operation.type);
  const int64_t count = static_cast<int64_t>(operation.operands.size());
  const int64_t most = static_cast<int64_t>(facts.operands.size());
  if (count < facts.required_operands || count > most)
    check.Fail(Item::kOperationOperands, count > most ? Reason::kAboveRange : Reason::kBelowRange,
               std::nullopt, std::nullopt, std::nullopt, count,
               absl::StrCat("operands: ", facts.required_operands, "..", most));
  for (int i = 0; i < facts.required_operands; ++i) {
    if (operation.operand(i).mode == Mode::kAbsent)
      check.Fail(Item::kOperationOperands, Reason::kNullNotAllowed, i, std::nullopt, std::nullopt,
                 0, "operands: it is needed");
  }
  for (int i = 0; i < facts.required_operands; ++i) {
    if (operation.operand(i).mode == Mode::kDisabled)
      check.Fail(Item::kOperandMode, Reason::kNotInSet, i, std::nullopt, std::nullopt,
                 static_cast<int64_t>(Mode::kDisabled), "operands: it may not be disabled");
  }
  for (int i = 0; i < facts.required_parameters; ++i) {
    if (operation.Find(facts.parameters[static_cast<size_t>(i)]) == nullptr)
      check.Fail(Item::kOperationParameters, Reason::kNullNotAllowed, std::nullopt, i, std::nullopt,
                 0, "parameters: it is needed");
  }
}

void NeedParameter(const Operation& operation, std::string_view parameter, LayerCheck& check) {
  if (operation.Find(parameter) == nullptr)
    check.Fail(Item::kOperationParameters, Reason::kNullNotAllowed, std::nullopt,
               ParameterIndex(operation.type, parameter), std::nullopt, 0,
               "parameters: it is needed");
}

void ParameterIn(const Operation& operation, std::string_view parameter,
                 const std::vector<int64_t>& values, LayerCheck& check) {
  const int64_t value = operation.Number(parameter, values[0]);
  if (std::find(values.begin(), values.end(), value) == values.end())
    check.Fail(Item::kParameter, Reason::kNotInSet, std::nullopt,
               ParameterIndex(operation.type, parameter), std::nullopt, value,
               absl::StrCat(std::string(parameter), ": a mode that the operation has"));
}

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

// Pooling that is there is there as a whole.
void CheckPoolingParameters(const Operation& operation, LayerCheck& check) {
  ParameterIn(operation, "pooling_mode", {kPoolingDisabled, kPoolingMax, kPoolingSum}, check);
}

Result CheckLegacyConvolution(const Operation& operation, const Device& device, LimitLog* log) {
  LayerCheck check(device, "convolution_1d", operation, log);
  CheckForm(operation, check);
  check.CheckOperand(kInput);
  check.CheckOperand(kOutput);
  ParameterIn(operation, "bias_mode", {kBiasDefault}, check);
  check.CheckOperand(kWeights);
  check.CheckSizes("convolution_stride");
  if (!operation.enabled(kBiases)) {
    const bool absent = operation.operand(kBiases).mode == Mode::kAbsent;
    check.Fail(absent ? Item::kOperationOperands : Item::kOperandMode,
               absent ? Reason::kNullNotAllowed : Reason::kNotInSet, kBiases, std::nullopt,
               std::nullopt, absent ? 0 : static_cast<int64_t>(Mode::kDisabled),
               "convolution_1d.biases: it is needed");
  }
  check.CheckOperand(kBiases);
  const int64_t samples = check.Size("input", 'W'), taps = check.Size("filters", 'W');
  const int64_t stride = check.Size("convolution_stride", 'W');
  if (stride > taps || taps > samples)
    check.Fail(Item::kInternal, Reason::kOther, std::nullopt, std::nullopt, std::nullopt,
               kNoPosition,
               absl::StrCat("convolution_1d: a stride of ", stride, ", ", taps, " taps and ",
                            samples, " samples, each at most the next"));
  const int64_t mode = operation.Number("pooling_mode", kPoolingDisabled);
  const bool pooled = mode != kPoolingDisabled;
  check.CheckTable(pooled);
  CheckPoolingParameters(operation, check);
  if (operation.Find("pooling_window") != nullptr || operation.Find("pooling_stride") != nullptr) {
    NeedParameter(operation, "pooling_mode", check);
    NeedParameter(operation, "pooling_window", check);
    NeedParameter(operation, "pooling_stride", check);
  }
  if (pooled) {
    NeedParameter(operation, "pooling_stride", check);
    NeedParameter(operation, "pooling_window", check);
    for (const char* parameter : {"pooling_stride", "pooling_window"}) {
      const Parameter* sizes = operation.Find(parameter);
      if (sizes != nullptr && sizes->size() != 1)
        check.Fail(Item::kShapeNumberOfDimensions, Reason::kNotEqual, std::nullopt, std::nullopt,
                   std::nullopt, static_cast<int64_t>(sizes->size()),
                   absl::StrCat("convolution_1d.", parameter, ".rank: 1"));
    }
    check.CheckSizes("pooling_stride");
    check.CheckSizes("pooling_window");
  }
  if (!check.ok()) return check.found();
  int64_t positions = (samples - taps) / stride + 1;
  if (pooled) positions = (positions - 1) / check.Size("pooling_stride", 'W') + 1;
  check.Equal("output", 'W', positions, "output: a position per window");
  check.CheckPlainOutput(Reason::kNotInSet);
  check.Equal("output", 'D', check.Size("filters", 'N'), "agreement");
  check.Equal("biases", 'N', check.Size("filters", 'N'), "agreement");
  return check.found();
}

// One number is the width.
std::vector<int64_t> HeightAndWidth(const Operation& operation, std::string_view parameter,
                                    int64_t height) {
  const Parameter* sizes = operation.Find(parameter);
  if (sizes == nullptr || sizes->empty()) return {0, 0};
  if (sizes->size() == 1) return {height, (*sizes)[0]};
  return *sizes;
}

// A row is an image of height 1 with one channel.
std::vector<int64_t> AsImage(const std::vector<int64_t>& shape, size_t rank_of_row) {
  if (shape.size() != rank_of_row) return shape;
  return {shape[0], 1, shape[1], rank_of_row == 3 ? shape[2] : 1};
}

void CheckRank(const Operation& operation, std::string_view parameter, bool needed,
               LayerCheck& check) {
  const Parameter* sizes = operation.Find(parameter);
  const int64_t rank = sizes == nullptr ? 0 : static_cast<int64_t>(sizes->size());
  if (rank > 2 || (needed && rank < 1))
    check.Fail(Item::kShapeNumberOfDimensions, rank > 2 ? Reason::kAboveRange : Reason::kBelowRange,
               std::nullopt, ParameterIndex(operation.type, parameter), std::nullopt, rank,
               absl::StrCat(std::string(parameter), ".rank: 1..2"));
}

void CheckImageParameters(const Operation& operation, LayerCheck& check) {
  CheckRank(operation, "convolution_stride", true, check);
  CheckRank(operation, "zero_padding", false, check);
  ParameterIn(operation, "bias_mode", {kBiasDefault, kBiasPerStride}, check);
  CheckPoolingParameters(operation, check);
  const bool pooled = operation.Number("pooling_mode", kPoolingDisabled) != kPoolingDisabled;
  for (const char* parameter : {"pooling_window", "pooling_stride"}) {
    if (pooled) NeedParameter(operation, parameter, check);
    if (!pooled && operation.Find(parameter) != nullptr)
      check.Fail(Item::kOperationParameters, Reason::kNullRequired, std::nullopt,
                 ParameterIndex(operation.type, parameter), std::nullopt, 0,
                 "pooling_mode: without pooling there is none");
    CheckRank(operation, parameter, pooled, check);
  }
}

// Biases as the layer sees them: one per filter, or (which no generation runs) one per position.
std::vector<int64_t> ImageBiases(const Operation& operation) {
  const std::vector<int64_t>& shape = operation.operand(kBiases).shape;
  if (shape.empty()) return {0, 1, 1};
  const bool per_position = operation.Number("bias_mode", kBiasDefault) == kBiasPerStride;
  const int64_t second = shape.size() > 1 ? shape[1] : 0;
  return per_position ? std::vector<int64_t>{shape[0], second, second}
                      : std::vector<int64_t>{shape[0], 1, 1};
}

Result CheckImage(const Operation& operation, const Device& device, std::string_view layer,
                  LimitLog* log) {
  LayerCheck check(device, layer, operation, log);
  CheckForm(operation, check);
  check.See("input", AsImage(operation.operand(kInput).shape, 2));
  check.See("output", AsImage(operation.operand(kOutput).shape, 3));
  check.See("filters", AsImage(operation.operand(kWeights).shape, 2));
  check.See("biases", ImageBiases(operation));
  check.See("convolution_stride", HeightAndWidth(operation, "convolution_stride", 1));
  const Parameter* padding = operation.Find("zero_padding");
  check.See("zero_padding",
            padding != nullptr && padding->size() == 2 ? *padding : std::vector<int64_t>{0, 0});
  check.CheckOperand(kInput);
  check.CheckOperand(kOutput);
  CheckImageParameters(operation, check);
  check.CheckOperand(kWeights);
  check.CheckSizes("convolution_stride");
  check.CheckSizes("zero_padding");
  check.CheckOperand(kBiases);
  check.CheckProducts();
  check.Equal("filters", 'D', check.Size("input", 'D'), "filters: the channels of the input");
  for (char dim : {'W', 'H'})
    check.AtMost("filters", dim, check.Size("input", dim), "filters: the input");
  for (char dim : {'W', 'H'})
    check.AtMost("convolution_stride", dim, check.Size("filters", dim), "stride: the filters");
  for (char dim : {'W', 'H'})
    check.AtMost("zero_padding", dim, check.Size("filters", dim) - 1, "padding: below the filters");
  const bool pooled = operation.Number("pooling_mode", kPoolingDisabled) != kPoolingDisabled;
  check.CheckTable(pooled && operation.operand(kInput).shape.size() == 2);
  if (!check.ok()) return check.found();

  int64_t size[2];
  for (size_t d = 0; d < 2; ++d) {
    const char dim = d == 0 ? 'H' : 'W';
    size[d] = 1 + (check.Size("input", dim) + 2 * check.Size("zero_padding", dim) -
                   check.Size("filters", dim)) /
                      check.Size("convolution_stride", dim);
  }
  if (pooled) {
    check.See("pooling_window", HeightAndWidth(operation, "pooling_window", 1));
    check.See("pooling_stride", HeightAndWidth(operation, "pooling_stride", 1));
    check.CheckSizes("pooling_stride");
    check.CheckSizes("pooling_window");
    check.AtMost("pooling_window", 'W', size[1], "pooling_window: the convolved image");
    check.AtMost("pooling_window", 'H', size[0], "pooling_window: the convolved image");
    for (char dim : {'W', 'H'})
      check.AtMost("pooling_stride", dim, check.Size("pooling_window", dim),
                   "pooling_stride: the window");
    if (!check.ok()) return check.found();
    for (size_t d = 0; d < 2; ++d) {
      const char dim = d == 0 ? 'H' : 'W';
      const int64_t stride = check.Size("pooling_stride", dim);
      size[d] = 1 + (size[d] - check.Size("pooling_window", dim) + stride - 1) / stride;
    }
  }
  check.CheckRules();
  const char* why = "output: a position per window";
  check.Equal("output", 'N', check.Size("input", 'N'), why);
  check.Equal("output", 'W', size[1], why);
  check.Equal("output", 'H', size[0], why);
  check.Equal("output", 'D', check.Size("filters", 'N'), "output: a channel per filter");
  check.CheckPlainOutput(Reason::kNotEqual);
  if (operation.enabled(kBiases))
    check.Equal("biases", 'N', check.Size("filters", 'N'), "agreement");
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
