// Element types of the device's operands, with their numbers in its programming interface.
#ifndef TESSERA_TARGETS_NPU_DEVICE_DATA_TYPE_H_
#define TESSERA_TARGETS_NPU_DEVICE_DATA_TYPE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::npu {

enum class DataType : int32_t {
  kNone = 0,
  kInt8 = 3,
  kInt16 = 4,
  kInt32 = 5,
  kCompoundBias = 12,       // i32 bias, u8 multiplier, three bytes
  kPwlSegment = 13,         // i32 base, i16 value, i16 slope
  kWeightScaleFactor = 14,  // four bytes, u8 multiplier, three bytes
};

int64_t SizeOf(DataType type);  // bytes; 0 of none

// Short names, as descriptions of devices and messages have them: `i16`, `compound` ...
std::string NameOf(DataType type);
std::optional<DataType> DataTypeFromName(std::string_view name);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_DEVICE_DATA_TYPE_H_
