// A model as the device's library takes it: operations in order, each with operands and parameters.
#ifndef TESSERA_TARGETS_NPU_MODEL_MODEL_H_
#define TESSERA_TARGETS_NPU_MODEL_MODEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/tensor.h"
#include "targets/npu/device/data_type.h"

namespace tessera::npu {

// With its numbers in the programming interface, like all that follow.
enum class OperationType : uint8_t {
  kConvolution = 1,
  kCopy = 2,
  kFullyConnectedAffine = 3,
  kElementWiseAffine = 4,
  kRecurrent = 6,
  kTransposition = 7,
};

// Operands by position.
enum OperandIndex : int { kInput, kOutput, kWeights, kBiases, kTable, kScaleFactors };

enum class Mode : int8_t {
  kDefault = 0,
  kDisabled = -1,
  kAbsent = -2,  // no operand is given; has no number
};

// A parameter that is a number, or a list of sizes. Modes are numbers too.
inline constexpr int64_t kBiasDefault = 0, kBiasPerStride = 1, kBiasGrouping = 2;
inline constexpr int64_t kPoolingDisabled = -1, kPoolingMax = 1, kPoolingSum = 2;
using Parameter = std::vector<int64_t>;

struct Operand {
  Mode mode = Mode::kAbsent;
  std::vector<int64_t> shape;
  DataType type = DataType::kNone;
  std::string layout;
  int64_t address = 0;  // modulo 64
  // The memory of the result of an earlier operation, in another shape perhaps.
  std::optional<int64_t> from;
  // Elements in row-major order, records as the device has them; null of an output, and where
  // `from` is set.
  std::optional<ir::Tensor> data;  // u8, of the bytes
};

struct Operation {
  OperationType type = OperationType::kCopy;
  std::vector<Operand> operands;
  std::map<std::string, Parameter, std::less<>> parameters;  // those that are set
  // Of a recurrent one: what lies before its output, oldest first; zero where absent.
  std::optional<Operand> feedback;

  // An absent one where there is none.
  const Operand& operand(int index) const;
  bool enabled(int index) const { return operand(index).mode == Mode::kDefault; }
  const Parameter* Find(std::string_view parameter) const;  // null: not set
  // The number that it is; `otherwise` where it is not set, or no single number.
  int64_t Number(std::string_view parameter, int64_t otherwise) const;
};

struct Model {
  std::vector<Operation> operations;
};

// What the interface says of each type of operation.
struct OperationFacts {
  OperationType type;
  std::string_view name;  // `FullyConnectedAffine`
  int required_operands;
  absl::Span<const std::string_view> operands, parameters;  // names, by position
  int required_parameters;
};
const OperationFacts& FactsOf(OperationType type);
const OperationFacts* FindOperation(std::string_view name);  // null: none

// Its position among the parameters; -1: it has none of the name.
int ParameterIndex(OperationType type, std::string_view parameter);

// A convolution whose output says the layout of the one-dimensional one, which pools first.
bool IsLegacyConvolution(const Operation& operation);
bool HasGroupedBias(const Operation& operation);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_MODEL_MODEL_H_
