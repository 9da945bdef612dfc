// Operands of a model as tensors, records taken apart.
#ifndef TESSERA_TARGETS_NPU_EMULATOR_OPERAND_DATA_H_
#define TESSERA_TARGETS_NPU_EMULATOR_OPERAND_DATA_H_

#include <optional>

#include "absl/status/statusor.h"
#include "ir/tensor.h"
#include "targets/npu/model/model.h"

namespace tessera::npu {

// i8, i16 and i32 alone.
ir::DType DTypeOf(DataType type);

// A view of the elements of an operand of plain integers.
absl::StatusOr<ir::Tensor> ElementsOf(const Operand& operand);

// Of plain biases the numbers alone.
struct BiasData {
  ir::Tensor bias;
  std::optional<ir::Tensor> multiplier;  // u8
};
absl::StatusOr<BiasData> BiasesOf(const Operand& operand);
absl::StatusOr<ir::Tensor> MultipliersOf(const Operand& scale_factors);

struct TableData {
  ir::Tensor base, value, slope;
};
absl::StatusOr<TableData> TableOf(const Operand& table);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_EMULATOR_OPERAND_DATA_H_
