// Elements of tensors of any dtype in symbolic shape arithmetic: an integer, or a float that a
// network computes from sizes on the way to a size, e.g. floor(float(H) * 0.5).
//
// A float is kept as the fraction it would be without rounding. Let b be the bits of the dtype's
// significand (24 for f32). Of integers p and q >= 1 that satisfy what `needs` says,
//   - p/1 with |p| <= 2^b, and p/2^k with |p| <= 2^b, are floats: nothing is rounded;
//   - of p/q with |p| + q <= 2^b the nearest float has the same floor and ceiling as p/q: a
//     fraction that is not whole is at least 1/q away from the next integer n, the nearest float is
//     n only within half a unit in the last place, |n| * 2^-b, and |n|*q < |p| + q.
// Anything else, such as arithmetic on what has been rounded already, yields an invalid fraction.
#ifndef TESSERA_CODEGEN_SUPPORT_FRACTION_H_
#define TESSERA_CODEGEN_SUPPORT_FRACTION_H_

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "codegen/support/scalar_expr.h"
#include "ir/dtype.h"
#include "solver/expr.h"

namespace tessera::kernels {

struct Fraction {
  Expr num = 0, den = 1;  // den >= 1
  Expr needs = 1;         // the proposition under which this is what the float is
  int bits = 0;           // of the significand; 0: an integer or a bool, den is 1
  bool rounded = false;   // the float nearest to num/den, not num/den itself
  // Of an integer that follows the index: what it grows by along each axis. Arithmetic that does
  // not keep it so is invalid.
  std::vector<Expr> steps;

  Fraction() = default;
  explicit Fraction(const Expr& whole) : num(whole) {}
  template <std::integral V>
  explicit Fraction(V v) : num(static_cast<int64_t>(v)) {}

  static Fraction Invalid() { return Fraction(Expr::Invalid()); }
};

template <class T>
concept Fractional = std::is_same_v<T, Fraction>;

// Bits of the significand, the leading one included; 0 for integers and bool.
int PrecisionOf(ir::DType dtype);
// A constant of a float dtype; invalid where it is no fraction of 64-bit integers (inf, 1e-30).
Fraction FractionOf(double value, ir::DType dtype);
// As `Cast` to a dtype.
Fraction Convert(const Fraction& v, ir::DType dtype);

template <Fractional T>
T Lit(double v) {
  return FractionOf(v, ir::DType::kF64);
}
template <Fractional T, Integer V>
T Lit(V v) {
  return Fraction(v);
}
template <Fractional T>
T Lit(bool v) {
  return Fraction(v);
}

template <Fractional T>
T Cast(const Fraction& v) {
  return v;
}
template <Fractional T>
T Cast(const Expr& v) {
  return Fraction(v);
}
template <Fractional T, Number V>
T Cast(V v) {
  return Lit<T>(v);
}
// An integer class takes integers; what becomes of a float depends on more than its class.
template <Symbolic T>
T Cast(const Fraction& v) {
  return v.bits == 0 && v.steps.empty() ? v.num : Expr::Invalid();
}

Fraction Add(const Fraction& a, const Fraction& b);
Fraction Sub(const Fraction& a, const Fraction& b);
Fraction Mul(const Fraction& a, const Fraction& b);
Fraction Div(const Fraction& a, const Fraction& b);  // integers truncate
Fraction Fmod(const Fraction& a, const Fraction& b);
Fraction PyMod(const Fraction& a, const Fraction& b);
// Of a square, and by an exponent, that scalar_expr.h knows: what is exact is what floats yield.
Fraction Sqrt(const Fraction& a);
Fraction Pow(const Fraction& a, const Fraction& b);
Fraction Neg(const Fraction& a);
Fraction Abs(const Fraction& a);
Fraction Sign(const Fraction& a);
Fraction Floor(const Fraction& a);
Fraction Ceil(const Fraction& a);
Fraction Trunc(const Fraction& a);
Fraction Round(const Fraction& a);
Fraction Min(const Fraction& a, const Fraction& b);
Fraction Max(const Fraction& a, const Fraction& b);
Fraction Xor(const Fraction& a, const Fraction& b);  // of truth values
Fraction Select(const Expr& c, const Fraction& a, const Fraction& b);
inline Fraction Select(bool c, const Fraction& a, const Fraction& b) { return c ? a : b; }

Expr Eq(const Fraction& a, const Fraction& b);
Expr Lt(const Fraction& a, const Fraction& b);
Expr Le(const Fraction& a, const Fraction& b);
inline Expr Ne(const Fraction& a, const Fraction& b) {
  const Expr equal = Eq(a, b);
  return equal.IsInvalid() ? equal : solver::Not(equal);
}
inline Expr Gt(const Fraction& a, const Fraction& b) { return Lt(b, a); }
inline Expr Ge(const Fraction& a, const Fraction& b) { return Le(b, a); }

}  // namespace tessera::kernels

#endif  // TESSERA_CODEGEN_SUPPORT_FRACTION_H_
