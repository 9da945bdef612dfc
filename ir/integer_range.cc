#include "ir/integer_range.h"

#include <cstdint>
#include <limits>

namespace tessera::ir {
namespace {

using solver::Expr;
using solver::Range;

template <class T>
constexpr Range RangeOfType() {
  return {int64_t{std::numeric_limits<T>::min()}, int64_t{std::numeric_limits<T>::max()}};
}

}  // namespace

Range IntegerRange(DType dtype) {
  switch (dtype) {
    case DType::kI8:
      return RangeOfType<int8_t>();
    case DType::kI16:
      return RangeOfType<int16_t>();
    case DType::kI32:
      return RangeOfType<int32_t>();
    case DType::kU8:
      return RangeOfType<uint8_t>();
    case DType::kU16:
      return RangeOfType<uint16_t>();
    case DType::kU32:
      return RangeOfType<uint32_t>();
    case DType::kI4:
      return {-8, 7};
    case DType::kU4:
      return {0, 15};
    case DType::kI2:
      return {-2, 1};
    case DType::kU2:
      return {0, 3};
    case DType::kU64:
      return {0, Range::kPosInf};
    default:
      return {};
  }
}

Expr Fits(const Expr& e, DType dtype) {
  const Range range = IntegerRange(dtype);
  const Expr above = range.lo == Range::kNegInf ? Expr(1) : solver::Ge(e, Expr(range.lo));
  const Expr below = range.hi == Range::kPosInf ? Expr(1) : solver::Le(e, Expr(range.hi));
  return solver::And(above, below);
}

}  // namespace tessera::ir
