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
};
inline constexpr int kDTypeCount = 13;

size_t SizeOf(DType dtype);            // bytes of one element; a bool takes one
std::string_view NameOf(DType dtype);  // `f32`, `i64`, `bool` ...
std::optional<DType> DTypeFromName(std::string_view name);

// A set of element types, bit `1 << dtype`: the classes of the op language (`float`, `int`, ...).
using DTypeSet = uint16_t;
inline constexpr DTypeSet SetOf(DType dtype) {
  return static_cast<DTypeSet>(1u << static_cast<unsigned>(dtype));
}
inline constexpr bool Contains(DTypeSet set, DType dtype) { return (set & SetOf(dtype)) != 0; }
inline constexpr DTypeSet kSignedIntTypes =
    SetOf(DType::kI8) | SetOf(DType::kI16) | SetOf(DType::kI32) | SetOf(DType::kI64);
inline constexpr DTypeSet kUnsignedTypes =
    SetOf(DType::kU8) | SetOf(DType::kU16) | SetOf(DType::kU32) | SetOf(DType::kU64);
inline constexpr DTypeSet kIntTypes = kSignedIntTypes | kUnsignedTypes;
inline constexpr DTypeSet kFloatTypes =
    SetOf(DType::kF16) | SetOf(DType::kBF16) | SetOf(DType::kF32) | SetOf(DType::kF64);
inline constexpr DTypeSet kAnyTypes = kIntTypes | kFloatTypes | SetOf(DType::kBool);

inline bool IsFloat(DType dtype) { return Contains(kFloatTypes, dtype); }
inline bool IsInteger(DType dtype) { return Contains(kIntTypes, dtype); }

}  // namespace tessera::ir

#endif  // TESSERA_IR_DTYPE_H_
