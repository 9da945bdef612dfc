// The device's operations for layers whose integers and addresses are known.
#ifndef TESSERA_TARGETS_NPU_QUANTIZATION_OPERATIONS_H_
#define TESSERA_TARGETS_NPU_QUANTIZATION_OPERATIONS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/tensor.h"
#include "targets/npu/program/program.h"
#include "targets/npu/quantization/network.h"
#include "targets/npu/quantization/scales.h"

namespace tessera::npu {

// Rounded to nearest and clamped to the type.
int64_t NearestNumber(double value, DataType type);

// Data that never changes, each piece aligned.
class ReadOnlyData {
 public:
  explicit ReadOnlyData(int64_t alignment) : alignment_(alignment) {}
  Address Add(const std::vector<uint8_t>& bytes);
  absl::StatusOr<ir::Tensor> Take() const;

 private:
  int64_t alignment_;
  std::vector<uint8_t> bytes_;
};

// Whether a copy's result is filled by what is copied.
bool FillsAll(const NetworkLayer& copy);

// `y` is of a layer with a second operand that is data.
ProgramOperation OperationOf(const NetworkLayer& layer, const ScaledLayer& scaled,
                             const Device& device, DataType numbers_type, const Address& x,
                             const Address& y, const Address& out, ReadOnlyData& data);

// `count` numbers, from the number `skip` of one place on to that of another.
ProgramOperation CopyOf(int64_t count, DataType type, Address from, Address to, int64_t skip);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_QUANTIZATION_OPERATIONS_H_
