// The element functions of the op language over the types that kernels compute in: float, double,
// int64_t, uint64_t, and uint8_t for bool (0 or 1). Narrower dtypes are widened before a kernel
// runs and narrowed (wrapping) after it. All are total: no input traps or is undefined.
// `scalar_expr.h` has the same functions over symbolic integers.
//
// Integer `+ - *` wrap; they are spelled Add, Sub, Mul because the built-in operators do not.
// Comparisons and logic give bool.
#ifndef TESSERA_CODEGEN_SUPPORT_SCALAR_H_
#define TESSERA_CODEGEN_SUPPORT_SCALAR_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ir/dtype.h"

namespace tessera::kernels {

template <class T>
concept Float = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
concept Truth = std::is_same_v<T, uint8_t> || std::is_same_v<T, bool>;
template <class T>
concept Integer = std::is_integral_v<T> && !Truth<T>;
template <class T>
concept Number = Float<T> || Integer<T> || Truth<T>;

// What an operation on two element types computes in; a bool is uint8_t or bool.
template <class A, class B>
struct CommonOf {
  using type = std::common_type_t<A, B>;
};
template <class A, class B>
requires(Truth<A>&& Truth<B>) struct CommonOf<A, B> {
  using type = uint8_t;
};
template <class A, class B>
using Common = typename CommonOf<A, B>::type;

// --- Conversion
// -----------------------------------------------------------------------------------------------------

// Float to integer truncates, saturates, and takes NaN to 0; integer to integer wraps; anything to
// bool asks whether it differs from 0.
template <class T, Number V>
constexpr T Cast(V v) {
  if constexpr (Truth<T>) {
    return v != V(0);
  } else if constexpr (Integer<T> && Float<V>) {
    // The bounds are powers of two, hence exact in V; the upper one is exclusive.
    constexpr V low = static_cast<V>(std::numeric_limits<T>::min());
    constexpr V high = static_cast<V>(std::numeric_limits<T>::max() / 2 + 1) * V(2);
    if (v != v) return 0;
    if (v < low) return std::numeric_limits<T>::min();
    if (v >= high) return std::numeric_limits<T>::max();
    return static_cast<T>(v);
  } else {
    return static_cast<T>(v);
  }
}

template <Number T>
constexpr T Lit(double v) {
  return Cast<T>(v);
}
template <Number T, Integer V>
constexpr T Lit(V v) {
  return Cast<T>(v);
}
template <Number T>
constexpr T Lit(bool v) {
  return static_cast<T>(v);
}

// The identities of max and min: -inf and inf for floats.
template <Number T>
constexpr T Lowest() {
  if constexpr (Float<T>) return -std::numeric_limits<T>::infinity();
  if constexpr (Truth<T>) return 0;
  return std::numeric_limits<T>::lowest();
}
template <Number T>
constexpr T Highest() {
  if constexpr (Float<T>) return std::numeric_limits<T>::infinity();
  if constexpr (Truth<T>) return 1;
  return std::numeric_limits<T>::max();
}
// The same within the range of the dtype that T stands in for.
template <Number T>
constexpr T Lowest(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kI8:
      return Cast<T>(int64_t{std::numeric_limits<int8_t>::min()});
    case ir::DType::kI16:
      return Cast<T>(int64_t{std::numeric_limits<int16_t>::min()});
    case ir::DType::kI32:
      return Cast<T>(int64_t{std::numeric_limits<int32_t>::min()});
    case ir::DType::kI4:
      return Cast<T>(int64_t{-8});
    case ir::DType::kI2:
      return Cast<T>(int64_t{-2});
    case ir::DType::kU8:
    case ir::DType::kU16:
    case ir::DType::kU32:
    case ir::DType::kU4:
    case ir::DType::kU2:
      return T(0);
    default:
      return Lowest<T>();
  }
}
template <Number T>
constexpr T Highest(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kI8:
      return Cast<T>(int64_t{std::numeric_limits<int8_t>::max()});
    case ir::DType::kI16:
      return Cast<T>(int64_t{std::numeric_limits<int16_t>::max()});
    case ir::DType::kI32:
      return Cast<T>(int64_t{std::numeric_limits<int32_t>::max()});
    case ir::DType::kU8:
      return Cast<T>(int64_t{std::numeric_limits<uint8_t>::max()});
    case ir::DType::kU16:
      return Cast<T>(int64_t{std::numeric_limits<uint16_t>::max()});
    case ir::DType::kU32:
      return Cast<T>(int64_t{std::numeric_limits<uint32_t>::max()});
    case ir::DType::kI4:
      return Cast<T>(int64_t{7});
    case ir::DType::kU4:
      return Cast<T>(int64_t{15});
    case ir::DType::kI2:
      return Cast<T>(int64_t{1});
    case ir::DType::kU2:
      return Cast<T>(int64_t{3});
    default:
      return Highest<T>();
  }
}

// --- Arithmetic
// -----------------------------------------------------------------------------------------------------

namespace internal {
// Two's complement without undefined overflow: unsigned arithmetic of the same width.
template <class T>
using Wrapping =
    typename std::conditional_t<Integer<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
}  // namespace internal

template <Number T>
constexpr T Add(T a, T b) {
  using W = internal::Wrapping<T>;
  return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
}
template <Number T>
constexpr T Sub(T a, T b) {
  using W = internal::Wrapping<T>;
  return static_cast<T>(static_cast<W>(a) - static_cast<W>(b));
}
template <Number T>
constexpr T Mul(T a, T b) {
  using W = internal::Wrapping<T>;
  return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
}
template <Number T>
constexpr T Neg(T a) {
  if constexpr (Float<T>) return -a;  // 0 - a would lose the sign of zero
  return Sub(T(0), a);
}

// Integers truncate, x / 0 is 0.
template <Number T>
constexpr T Div(T a, T b) {
  if constexpr (Float<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return Neg(a);  // the lowest value has no positive counterpart
    }
    return static_cast<T>(a / b);
  }
}

// NaN if either is.
template <Number A, Number B>
constexpr Common<A, B> Min(A a, B b) {
  const Common<A, B> x = a, y = b;
  if constexpr (Float<Common<A, B>>) return x < y || x != x ? x : y;
  return x < y ? x : y;
}
template <Number A, Number B>
constexpr Common<A, B> Max(A a, B b) {
  const Common<A, B> x = a, y = b;
  if constexpr (Float<Common<A, B>>) return x > y || x != x ? x : y;
  return x > y ? x : y;
}

template <Number T>
constexpr T Abs(T a) {
  if constexpr (Float<T>) return std::fabs(a);
  if constexpr (std::is_signed_v<T>) return a < 0 ? Neg(a) : a;
  return a;
}
// -1, 0 or 1; NaN for NaN.
template <Number T>
constexpr T Sign(T a) {
  if constexpr (Float<T>) {
    if (a != a) return a;
  }
  if constexpr (std::is_signed_v<T>) return static_cast<T>((a > T(0)) - (a < T(0)));
  return a != T(0);
}

// The remainder of truncating division (sign of a); integers: x mod 0 is 0, floats: NaN.
template <Number T>
T Fmod(T a, T b) {
  if constexpr (Float<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
}
// The remainder of flooring division (sign of b).
template <Number T>
T PyMod(T a, T b) {
  const T r = Fmod(a, b);
  if constexpr (std::is_signed_v<T>) {
    if (r != T(0) && (r < T(0)) != (b < T(0))) return r + b;
    if constexpr (Float<T>) {
      if (r == T(0)) return std::copysign(T(0), b);
    }
  }
  return r;
}

// In the type of the base. Integers to an integer power wrap; a negative power of an integer is 0
// unless the base is 1 or -1.
template <Number A, Number B>
A Pow(A a, B b) {
  if constexpr (Float<A> && Float<B>) {
    if constexpr (std::is_same_v<A, B>) return std::pow(a, b);
    return static_cast<A>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  } else if constexpr (Float<A> || Float<B>) {
    return Cast<A>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  } else {
    if constexpr (std::is_signed_v<B>) {
      if (b < 0) {
        if (a == A(1)) return A(1);
        if constexpr (std::is_signed_v<A>) {
          if (a == A(-1)) return (b & 1) != 0 ? A(-1) : A(1);
        }
        return A(0);
      }
    }
    A power = A(1), square = a;
    for (uint64_t e = static_cast<uint64_t>(b); e != 0; e >>= 1) {
      if ((e & 1) != 0) power = Mul(power, square);
      square = Mul(square, square);
    }
    return power;
  }
}

// --- Rounding, identities on integers
// ---------------------------------------------------------------------------------

template <Number T>
T Floor(T a) {
  if constexpr (Float<T>) return std::floor(a);
  return a;
}
template <Number T>
T Ceil(T a) {
  if constexpr (Float<T>) return std::ceil(a);
  return a;
}
// Half to even: the rounding mode that a process starts with, which nothing here changes.
template <Number T>
T Round(T a) {
  if constexpr (Float<T>) return std::nearbyint(a);
  return a;
}
template <Number T>
T Trunc(T a) {
  if constexpr (Float<T>) return std::trunc(a);
  return a;
}

// --- Functions of the reals; on integers computed in double and truncated
// -----------------------------------------------

namespace internal {
template <class T, class F>
T Real(T a, F f) {
  if constexpr (Float<T>) return f(a);
  return Cast<T>(f(static_cast<double>(a)));
}
}  // namespace internal

template <Number T>
T Sqrt(T a) {
  return internal::Real(a, [](auto x) { return std::sqrt(x); });
}
template <Number T>
T Exp(T a) {
  return internal::Real(a, [](auto x) { return std::exp(x); });
}
template <Number T>
T Log(T a) {
  return internal::Real(a, [](auto x) { return std::log(x); });
}
template <Number T>
T Sin(T a) {
  return internal::Real(a, [](auto x) { return std::sin(x); });
}
template <Number T>
T Cos(T a) {
  return internal::Real(a, [](auto x) { return std::cos(x); });
}
template <Number T>
T Tan(T a) {
  return internal::Real(a, [](auto x) { return std::tan(x); });
}
template <Number T>
T Asin(T a) {
  return internal::Real(a, [](auto x) { return std::asin(x); });
}
template <Number T>
T Acos(T a) {
  return internal::Real(a, [](auto x) { return std::acos(x); });
}
template <Number T>
T Atan(T a) {
  return internal::Real(a, [](auto x) { return std::atan(x); });
}
template <Number T>
T Sinh(T a) {
  return internal::Real(a, [](auto x) { return std::sinh(x); });
}
template <Number T>
T Cosh(T a) {
  return internal::Real(a, [](auto x) { return std::cosh(x); });
}
template <Number T>
T Tanh(T a) {
  return internal::Real(a, [](auto x) { return std::tanh(x); });
}
template <Number T>
T Asinh(T a) {
  return internal::Real(a, [](auto x) { return std::asinh(x); });
}
template <Number T>
T Acosh(T a) {
  return internal::Real(a, [](auto x) { return std::acosh(x); });
}
template <Number T>
T Atanh(T a) {
  return internal::Real(a, [](auto x) { return std::atanh(x); });
}
template <Number T>
T Erf(T a) {
  return internal::Real(a, [](auto x) { return std::erf(x); });
}

// --- Classification, comparison, logic, bits
// ----------------------------------------------------------------------------

template <Number T>
constexpr bool IsNan(T a) {
  return a != a;
}
template <Number T>
constexpr bool IsPosInf(T a) {
  if constexpr (Float<T>) return a == std::numeric_limits<T>::infinity();
  return false;
}
template <Number T>
constexpr bool IsNegInf(T a) {
  if constexpr (Float<T>) return a == -std::numeric_limits<T>::infinity();
  return false;
}
template <Number T>
constexpr bool IsInf(T a) {
  return IsPosInf(a) || IsNegInf(a);
}

template <Number A, Number B>
constexpr bool Eq(A a, B b) {
  return Common<A, B>(a) == Common<A, B>(b);
}
template <Number A, Number B>
constexpr bool Ne(A a, B b) {
  return Common<A, B>(a) != Common<A, B>(b);
}
template <Number A, Number B>
constexpr bool Lt(A a, B b) {
  return Common<A, B>(a) < Common<A, B>(b);
}
template <Number A, Number B>
constexpr bool Le(A a, B b) {
  return Common<A, B>(a) <= Common<A, B>(b);
}
template <Number A, Number B>
constexpr bool Gt(A a, B b) {
  return Common<A, B>(a) > Common<A, B>(b);
}
template <Number A, Number B>
constexpr bool Ge(A a, B b) {
  return Common<A, B>(a) >= Common<A, B>(b);
}

template <Number A, Number B>
constexpr bool And(A a, B b) {
  return a != A(0) && b != B(0);
}
template <Number A, Number B>
constexpr bool Or(A a, B b) {
  return a != A(0) || b != B(0);
}
template <Number A, Number B>
constexpr bool Xor(A a, B b) {
  return (a != A(0)) != (b != B(0));
}
template <Number A>
constexpr bool Not(A a) {
  return a == A(0);
}

template <Number C, Number A, Number B>
constexpr Common<A, B> Select(C c, A a, B b) {
  return c != C(0) ? Common<A, B>(a) : Common<A, B>(b);
}

template <Integer T>
constexpr T BitAnd(T a, T b) {
  return a & b;
}
template <Integer T>
constexpr T BitOr(T a, T b) {
  return a | b;
}
template <Integer T>
constexpr T BitXor(T a, T b) {
  return a ^ b;
}
template <Integer T>
constexpr T BitNot(T a) {
  return ~a;
}
// 0 for a count outside the word.
template <Integer T>
constexpr T Shl(T a, T b) {
  constexpr T kBits = std::numeric_limits<std::make_unsigned_t<T>>::digits;
  if (b < 0 || b >= kBits) return 0;
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << b);
}
template <Integer T>
constexpr T Shr(T a, T b) {
  constexpr T kBits = std::numeric_limits<std::make_unsigned_t<T>>::digits;
  if (b < 0 || b >= kBits) return 0;
  return static_cast<T>(a >> b);
}

}  // namespace tessera::kernels

#endif  // TESSERA_CODEGEN_SUPPORT_SCALAR_H_
