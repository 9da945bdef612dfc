#include "targets/npu/model/model.h"

namespace tessera::npu {
namespace {

using Names = std::string_view;
constexpr Names kAffineOperands[] = {"input",  "output", "weights",
                                     "biases", "pwl",    "weight_scale_factors"};
constexpr Names kConvolutionOperands[] = {"input", "output", "filters", "biases", "pwl"};
constexpr Names kAffineParameters[] = {"bias_mode", "bias_vector_index"};
constexpr Names kConvolutionParameters[] = {"convolution_stride", "bias_mode",      "pooling_mode",
                                            "pooling_window",     "pooling_stride", "zero_padding"};
constexpr Names kCopyParameters[] = {"copy_shape"};
constexpr Names kRecurrentParameters[] = {"delay"};

const OperationFacts kFacts[] = {
    {OperationType::kConvolution, "Convolution", 3, kConvolutionOperands, kConvolutionParameters,
     1},
    {OperationType::kCopy, "Copy", 2, absl::MakeSpan(kAffineOperands, 2), kCopyParameters, 1},
    {OperationType::kFullyConnectedAffine, "FullyConnectedAffine", 4, kAffineOperands,
     kAffineParameters, 0},
    {OperationType::kElementWiseAffine,
     "ElementWiseAffine",
     4,
     absl::MakeSpan(kAffineOperands, 5),
     {},
     0},
    {OperationType::kRecurrent, "Recurrent", 5, absl::MakeSpan(kAffineOperands, 5),
     kRecurrentParameters, 1},
    {OperationType::kTransposition, "Transposition", 2, absl::MakeSpan(kAffineOperands, 2), {}, 0},
};

}  // namespace

const Operand& Operation::operand(int index) const {
  static const Operand* const absent = new Operand;
  const size_t i = static_cast<size_t>(index);
  return i < operands.size() ? operands[i] : *absent;
}

const Parameter* Operation::Find(std::string_view parameter) const {
  const auto found = parameters.find(parameter);
  return found == parameters.end() ? nullptr : &found->second;
}

int64_t Operation::Number(std::string_view parameter, int64_t otherwise) const {
  const Parameter* found = Find(parameter);
  return found != nullptr && found->size() == 1 ? (*found)[0] : otherwise;
}

const OperationFacts& FactsOf(OperationType type) {
  for (const OperationFacts& facts : kFacts) {
    if (facts.type == type) return facts;
  }
  return kFacts[0];
}

const OperationFacts* FindOperation(std::string_view name) {
  for (const OperationFacts& facts : kFacts) {
    if (facts.name == name) return &facts;
  }
  return nullptr;
}

int ParameterIndex(OperationType type, std::string_view parameter) {
  const absl::Span<const std::string_view> names = FactsOf(type).parameters;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == parameter) return static_cast<int>(i);
  }
  return -1;
}

bool IsLegacyConvolution(const Operation& operation) {
  return operation.type == OperationType::kConvolution &&
         operation.operand(kOutput).layout.starts_with("GNA1");
}

bool HasGroupedBias(const Operation& operation) {
  return operation.type == OperationType::kFullyConnectedAffine &&
         operation.Number("bias_mode", kBiasDefault) == kBiasGrouping;
}

}  // namespace tessera::npu
