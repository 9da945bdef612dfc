#include "targets/circle/emission/dtypes.h"

namespace tessera::circle {

std::optional<TensorType> TypeOf(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kBool:
      return ::circle::TensorType_BOOL;
    case ir::DType::kI8:
      return ::circle::TensorType_INT8;
    case ir::DType::kI16:
      return ::circle::TensorType_INT16;
    case ir::DType::kI32:
      return ::circle::TensorType_INT32;
    case ir::DType::kI64:
      return ::circle::TensorType_INT64;
    case ir::DType::kU8:
      return ::circle::TensorType_UINT8;
    case ir::DType::kU16:
      return ::circle::TensorType_UINT16;
    case ir::DType::kU32:
      return ::circle::TensorType_UINT32;
    case ir::DType::kU64:
      return ::circle::TensorType_UINT64;
    case ir::DType::kF16:
      return ::circle::TensorType_FLOAT16;
    case ir::DType::kBF16:
      return ::circle::TensorType_BFLOAT16;
    case ir::DType::kF32:
      return ::circle::TensorType_FLOAT32;
    case ir::DType::kF64:
      return ::circle::TensorType_FLOAT64;
    default:  // narrow types: those that the format has it packs
      return std::nullopt;
  }
}

std::optional<ir::DType> DTypeOf(TensorType type) {
  for (int i = 0; i < ir::kDTypeCount; ++i) {
    const ir::DType dtype = static_cast<ir::DType>(i);
    if (TypeOf(dtype) == type) return dtype;
  }
  return std::nullopt;
}

}  // namespace tessera::circle
