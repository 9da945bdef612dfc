// Element types of tensors.
#ifndef TESSERA_IR_DTYPE_H_
#define TESSERA_IR_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::ir {

enum class DType : uint8_t {
  kBool,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kBF16,
  kF32,
  kF64,
  // Narrow types, as ONNX has them since opset 19: what weights are stored in. In memory each
  // element takes a byte of its own; only files pack several into one.
  kI4,
  kU4,
  kI2,
  kU2,
  kF8E4M3FN,
  kF8E4M3FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0,
  kF4E2M1,
};
inline constexpr int kDTypeCount = 23;

size_t SizeOf(DType dtype);  // bytes of one element in memory; a bool or a narrow type takes one
std::string_view NameOf(DType dtype);  // `f32`, `i64`, `bool` ...
std::optional<DType> DTypeFromName(std::string_view name);

// A set of element types, bit `1 << dtype`: the classes of the op language (`float`, `int`, ...).
using DTypeSet = uint32_t;
inline constexpr DTypeSet SetOf(DType dtype) { return DTypeSet{1} << static_cast<unsigned>(dtype); }
inline constexpr bool Contains(DTypeSet set, DType dtype) { return (set & SetOf(dtype)) != 0; }
inline constexpr DTypeSet kSignedIntTypes =
    SetOf(DType::kI8) | SetOf(DType::kI16) | SetOf(DType::kI32) | SetOf(DType::kI64);
inline constexpr DTypeSet kUnsignedTypes =
    SetOf(DType::kU8) | SetOf(DType::kU16) | SetOf(DType::kU32) | SetOf(DType::kU64);
inline constexpr DTypeSet kIntTypes = kSignedIntTypes | kUnsignedTypes;
inline constexpr DTypeSet kFloatTypes =
    SetOf(DType::kF16) | SetOf(DType::kBF16) | SetOf(DType::kF32) | SetOf(DType::kF64);
inline constexpr DTypeSet kAnyTypes = kIntTypes | kFloatTypes | SetOf(DType::kBool);

// In no class but their own: few operators take them.
inline constexpr DTypeSet kNarrowIntTypes =
    SetOf(DType::kI4) | SetOf(DType::kU4) | SetOf(DType::kI2) | SetOf(DType::kU2);
inline constexpr DTypeSet kNarrowFloatTypes = SetOf(DType::kF8E4M3FN) | SetOf(DType::kF8E4M3FNUZ) |
                                              SetOf(DType::kF8E5M2) | SetOf(DType::kF8E5M2FNUZ) |
                                              SetOf(DType::kF8E8M0) | SetOf(DType::kF4E2M1);

inline bool IsFloat(DType dtype) { return Contains(kFloatTypes | kNarrowFloatTypes, dtype); }
inline bool IsInteger(DType dtype) { return Contains(kIntTypes | kNarrowIntTypes, dtype); }

}  // namespace tessera::ir

#endif  // TESSERA_IR_DTYPE_H_
