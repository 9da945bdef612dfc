#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "targets/npu/model/form.h"

namespace tessera::npu {
namespace {

using Result = std::optional<Violation>;

void CheckPoolingParameters(const Operation& operation, LayerCheck& check) {
  ParameterIn(operation, "pooling_mode", {kPoolingDisabled, kPoolingMax, kPoolingSum}, check);
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

}  // namespace

std::optional<Violation> CheckLegacyConvolution(const Operation& operation, const Device& device,
                                                LimitLog* log) {
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

std::optional<Violation> CheckImage(const Operation& operation, const Device& device,
                                    std::string_view layer, LimitLog* log) {
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

}  // namespace tessera::npu
