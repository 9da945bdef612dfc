#include "targets/npu/emulator/layers.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "targets/npu/model/check.h"
#include "targets/reference/run_op.h"

namespace tessera::ops {
const ir::Dialect& NpuOps();
}

namespace tessera::npu {
namespace {

const ir::OpInfo* FindOp(std::string_view name) {
  for (const ir::OpInfo* info : ops::NpuOps().ops) {
    if (info->name == name) return info;
  }
  return nullptr;
}

// A list of two sizes; one alone is the width.
std::vector<int64_t> HeightAndWidth(const Parameter* sizes, int64_t otherwise) {
  if (sizes == nullptr || sizes->empty()) return {otherwise, otherwise};
  return sizes->size() == 1 ? std::vector<int64_t>{1, (*sizes)[0]} : *sizes;
}

}  // namespace

absl::StatusOr<ir::Tensor> LayerRun::Input() const {
  const Operand& input = operation_.operand(kInput);
  if (from_ != nullptr) return from_->Reshaped(input.shape);
  return ElementsOf(input);
}

absl::StatusOr<ir::Tensor> LayerRun::Run(std::string_view op,
                                         const std::vector<const ir::Tensor*>& operands,
                                         const Attributes& attributes) {
  const ir::OpInfo* info = FindOp(op);
  if (info == nullptr)
    return absl::InternalError(absl::StrCat("no definition of `", std::string(op), "`"));
  std::vector<ir::Attribute> attrs(info->attrs.size());
  for (const auto& [name, value] : attributes) {
    const int index = ir::FindAttr(*info, name);
    if (index < 0)
      return absl::InternalError(
          absl::StrCat("`", std::string(op), "` has no `", std::string(name), "`"));
    attrs[static_cast<size_t>(index)] = value;
  }
  std::vector<ir::OperandInfo<ir::Expr>> infos(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    infos[i].present = operands[i] != nullptr;
    if (infos[i].present) infos[i].dtype = operands[i]->dtype();
  }
  if (absl::Status status = info->complete(infos, attrs); !status.ok()) return status;
  absl::StatusOr<std::vector<ir::Tensor>> results =
      reference::RunOp(*info, operands, attrs, reference::MaxLiveBytes(), use_fast_);
  if (!results.ok()) return results.status();
  if (results->size() > 1) saturations_ += (*results)[1].AsInt(0);
  return std::move((*results)[0]);
}

absl::StatusOr<ir::Tensor> LayerRun::ThroughTable(absl::StatusOr<ir::Tensor> sums) {
  if (!sums.ok() || !operation_.enabled(kTable)) return sums;
  const absl::StatusOr<TableData> table = TableOf(operation_.operand(kTable));
  if (!table.ok()) return table.status();
  return Run("PWL", {&*sums, &table->base, &table->value, &table->slope},
             {{"to", DTypeOf(operation_.operand(kOutput).type)}});
}

absl::StatusOr<ir::Tensor> LayerRun::Affine(const ir::Tensor& x) {
  absl::StatusOr<BiasData> biases = BiasesOf(operation_.operand(kBiases));
  if (!biases.ok()) return biases.status();
  const absl::StatusOr<ir::Tensor> weights = ElementsOf(operation_.operand(kWeights));
  if (!weights.ok()) return weights.status();
  if (HasGroupedBias(operation_) && x.dtype() == ir::DType::kI16 &&
      weights->dtype() == ir::DType::kI8) {
    absl::StatusOr<ir::Tensor> multipliers = MultipliersOf(operation_.operand(kScaleFactors));
    if (!multipliers.ok()) return multipliers.status();
    biases->multiplier = *std::move(multipliers);
  }
  const std::vector<const ir::Tensor*> operands = {
      &x, &*weights, &biases->bias, biases->multiplier ? &*biases->multiplier : nullptr};
  if (operation_.type == OperationType::kElementWiseAffine)
    return ThroughTable(Run("AFFINE_DIAGONAL", operands, {}));
  const ir::Attribute buffer = device_.BufferPerVector(
      x.shape()[1], operation_.operand(kInput).type, operation_.operand(kWeights).type);
  if (!HasGroupedBias(operation_))
    return ThroughTable(Run("AFFINE", operands, {{"buffer", buffer}}));
  return ThroughTable(
      Run("AFFINE_MULTIBIAS", operands,
          {{"buffer", buffer}, {"vector", operation_.Number("bias_vector_index", 0)}}));
}

absl::StatusOr<ir::Tensor> LayerRun::Recurrent(const ir::Tensor& x) {
  const absl::StatusOr<BiasData> biases = BiasesOf(operation_.operand(kBiases));
  if (!biases.ok()) return biases.status();
  const absl::StatusOr<ir::Tensor> weights = ElementsOf(operation_.operand(kWeights));
  if (!weights.ok()) return weights.status();
  const absl::StatusOr<TableData> table = TableOf(operation_.operand(kTable));
  if (!table.ok()) return table.status();
  const Operand& output = operation_.operand(kOutput);
  const std::vector<int64_t> shape = {operation_.Number("delay", 1), output.shape[1]};
  absl::StatusOr<ir::Tensor> feedback = ir::Tensor::Allocate(DTypeOf(output.type), shape);
  if (operation_.feedback.has_value()) {
    feedback = ElementsOf(*operation_.feedback);
    if (feedback.ok() && (feedback->shape() != shape || feedback->dtype() != DTypeOf(output.type)))
      return absl::InvalidArgumentError(absl::StrCat("the feedback is not [", shape[0], ",",
                                                     shape[1], "] of the type of the output, ",
                                                     NameOf(output.type)));
  }
  if (!feedback.ok()) return feedback.status();
  const int64_t buffer = device_.BufferPerVector(1, operation_.operand(kInput).type,
                                                 operation_.operand(kWeights).type);
  return Run("RECURRENT",
             {&x, &*weights, &biases->bias, biases->multiplier ? &*biases->multiplier : nullptr,
              &table->base, &table->value, &table->slope, &*feedback},
             {{"buffer", buffer}});
}

absl::StatusOr<ir::Tensor> LayerRun::RowConvolution(const ir::Tensor& x) {
  const absl::StatusOr<ir::Tensor> filters = ElementsOf(operation_.operand(kWeights));
  if (!filters.ok()) return filters.status();
  const absl::StatusOr<BiasData> biases = BiasesOf(operation_.operand(kBiases));
  if (!biases.ok()) return biases.status();
  Attributes attributes = {{"stride", operation_.Number("convolution_stride", 1)}};
  const int64_t pooling = operation_.Number("pooling_mode", kPoolingDisabled);
  if (pooling != kPoolingDisabled) {
    attributes.push_back({"pooling", pooling});  // the definition has the numbers of the interface
    attributes.push_back({"window", operation_.Number("pooling_window", 1)});
    attributes.push_back({"pooling_stride", operation_.Number("pooling_stride", 1)});
  }
  return ThroughTable(Run("CONVOLUTION_1D", {&x, &*filters, &biases->bias}, attributes));
}

absl::StatusOr<ir::Tensor> LayerRun::ImageConvolution(const ir::Tensor& x) {
  absl::StatusOr<ir::Tensor> filters = ElementsOf(operation_.operand(kWeights));
  if (!filters.ok()) return filters.status();
  std::vector<int64_t> shape = filters->shape();
  if (shape.size() == 2) filters = filters->Reshaped({shape[0], 1, shape[1], 1});
  shape = x.shape();
  const ir::Tensor image = shape.size() == 2 ? x.Reshaped({shape[0], 1, shape[1], 1}) : x;
  absl::StatusOr<BiasData> biases = BiasData();
  const bool biased = operation_.enabled(kBiases);
  if (biased) biases = BiasesOf(operation_.operand(kBiases));
  if (!biases.ok()) return biases.status();
  if (biased) biases->bias = biases->bias.Reshaped({biases->bias.size()});
  const Parameter* padding = operation_.Find("zero_padding");
  if (padding != nullptr && padding->size() != 2) padding = nullptr;
  absl::StatusOr<ir::Tensor> y =
      ThroughTable(Run("CONVOLUTION_2D", {&image, &*filters, biased ? &biases->bias : nullptr},
                       {{"stride", HeightAndWidth(operation_.Find("convolution_stride"), 1)},
                        {"padding", HeightAndWidth(padding, 0)}}));
  const int64_t pooling = operation_.Number("pooling_mode", kPoolingDisabled);
  if (!y.ok() || pooling == kPoolingDisabled) return y;
  return Run("POOLING", {&*y},
             {{"kind", pooling - kPoolingMax},
              {"window", HeightAndWidth(operation_.Find("pooling_window"), 1)},
              {"stride", HeightAndWidth(operation_.Find("pooling_stride"), 1)}});
}

absl::StatusOr<ir::Tensor> LayerRun::Movement(const ir::Tensor& x) {
  if (operation_.type == OperationType::kTransposition)
    return Run(LayerOf(operation_, device_) == "interleave" ? "INTERLEAVE" : "DEINTERLEAVE", {&x},
               {});
  const Parameter& shape = *operation_.Find("copy_shape");
  return Run(
      "COPY", {&x},
      {{"rows", shape[0]}, {"columns", shape[1]}, {"shape", operation_.operand(kOutput).shape}});
}

absl::StatusOr<ir::Tensor> LayerRun::Output() {
  const absl::StatusOr<ir::Tensor> x = Input();
  if (!x.ok()) return x.status();
  absl::StatusOr<ir::Tensor> y;
  switch (operation_.type) {
    case OperationType::kFullyConnectedAffine:
    case OperationType::kElementWiseAffine:
      y = Affine(*x);
      break;
    case OperationType::kRecurrent:
      y = Recurrent(*x);
      break;
    case OperationType::kConvolution:
      y = IsLegacyConvolution(operation_) ? RowConvolution(*x) : ImageConvolution(*x);
      break;
    case OperationType::kCopy:
    case OperationType::kTransposition:
      y = Movement(*x);
      break;
  }
  if (!y.ok()) return y;
  const Operand& output = operation_.operand(kOutput);
  const absl::StatusOr<int64_t> count = ir::ElementCount(output.shape, 1);
  if (!count.ok() || *count != y->size() || y->dtype() != DTypeOf(output.type))
    return absl::InternalError(absl::StrCat("computed are ", y->size(), " elements of ",
                                            std::string(ir::NameOf(y->dtype())),
                                            ", the output is of another size or type"));
  return y->Reshaped(output.shape);
}

}  // namespace tessera::npu
