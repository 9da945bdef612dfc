// The element functions of the op language over symbolic integers, as far as they are exact there:
// what scalar.h has over int64_t, for any values of the symbols. There is no Exp and the like; an
// op that needs them takes no part in shape arithmetic.
#ifndef TESSERA_CODEGEN_SUPPORT_SCALAR_EXPR_H_
#define TESSERA_CODEGEN_SUPPORT_SCALAR_EXPR_H_

#include <cstdint>
#include <type_traits>

#include "codegen/support/scalar.h"
#include "solver/expr.h"

namespace tessera::kernels {

using solver::Expr;

// One set of functions, whether found by argument or by qualified name.
using solver::Abs;
using solver::And;
using solver::Eq;
using solver::Ge;
using solver::Gt;
using solver::Le;
using solver::Lt;
using solver::Max;
using solver::Min;
using solver::Ne;
using solver::Not;
using solver::Or;

template <class T>
concept Symbolic = std::is_same_v<T, Expr>;

template <Symbolic T>
T Lit(double v) {
  return Expr(Lit<int64_t>(v));
}
template <Symbolic T, Integer V>
T Lit(V v) {
  return Expr(static_cast<int64_t>(v));
}
template <Symbolic T>
T Lit(bool v) {
  return Expr(int64_t{v});
}

template <Symbolic T>
T Cast(const Expr& v) {
  return v;
}
template <Symbolic T, Number V>
T Cast(V v) {
  return Expr(Cast<int64_t>(v));
}

inline Expr Add(const Expr& a, const Expr& b) { return a + b; }
inline Expr Sub(const Expr& a, const Expr& b) { return a - b; }
inline Expr Mul(const Expr& a, const Expr& b) { return a * b; }
inline Expr Neg(const Expr& a) { return Expr(0) - a; }
inline Expr Floor(const Expr& a) { return a; }
inline Expr Ceil(const Expr& a) { return a; }
inline Expr Round(const Expr& a) { return a; }
inline Expr Trunc(const Expr& a) { return a; }
inline Expr IsNan(const Expr&) { return Expr(0); }
inline Expr IsInf(const Expr&) { return Expr(0); }
inline Expr IsPosInf(const Expr&) { return Expr(0); }
inline Expr IsNegInf(const Expr&) { return Expr(0); }

inline Expr Select(const Expr& c, const Expr& a, const Expr& b) { return solver::Ite(c, a, b); }
inline Expr Select(bool c, const Expr& a, const Expr& b) { return c ? a : b; }
// Of truth values.
inline Expr Xor(const Expr& a, const Expr& b) { return Ne(a, b); }
inline Expr Sign(const Expr& a) {
  return Select(Gt(a, Expr(0)), Expr(1), Select(Lt(a, Expr(0)), Expr(-1), Expr(0)));
}

namespace internal {
// f(a, b) where b > 0, f(-a, -b) where b < 0, 0 where b is 0. The divisors that f sees are
// positive, or it is not asked.
template <class F>
Expr ByDivisorSign(const Expr& a, const Expr& b, F f) {
  if (const auto divisor = b.Constant()) {
    if (*divisor == 0) return Expr(0);
    return *divisor > 0 ? f(a, b) : f(Neg(a), Neg(b));
  }
  const Expr positive = Gt(b, Expr(0));
  if (const auto always = positive.Constant(); always && *always != 0) return f(a, b);
  const Expr negative = Lt(b, Expr(0));
  if (const auto always = negative.Constant(); always && *always != 0) return f(Neg(a), Neg(b));
  // The divisor is made positive on both sides, so that either side is defined for every b.
  return Select(positive, f(a, Max(b, Expr(1))),
                Select(negative, f(Neg(a), Max(Neg(b), Expr(1))), Expr(0)));
}
}  // namespace internal

// a / b truncates: floor(a / b) where a >= 0, and -floor(-a / b) where a < 0, for b > 0.
inline Expr Div(const Expr& a, const Expr& b) {
  return internal::ByDivisorSign(a, b, [](const Expr& n, const Expr& d) {
    return Select(Ge(n, Expr(0)), solver::FloorDiv(n, d), Neg(solver::FloorDiv(Neg(n), d)));
  });
}
// a - b * Div(a, b): the sign of a, whatever that of b.
inline Expr Fmod(const Expr& a, const Expr& b) {
  const Expr magnitude = Abs(b);
  return internal::ByDivisorSign(a, magnitude, [](const Expr& n, const Expr& d) {
    return Select(Ge(n, Expr(0)), solver::Mod(n, d), Neg(solver::Mod(Neg(n), d)));
  });
}
// The sign of b: mod(a, b) for b > 0, -mod(-a, -b) for b < 0.
inline Expr PyMod(const Expr& a, const Expr& b) {
  if (const auto divisor = b.Constant(); divisor && *divisor < 0)
    return Neg(solver::Mod(Neg(a), Neg(b)));
  const Expr positive =
      internal::ByDivisorSign(a, b, [](const Expr& n, const Expr& d) { return solver::Mod(n, d); });
  return Select(Lt(b, Expr(0)), Neg(positive), positive);
}

// The side of a square that is plain to see, as of 4*H*H; of anything else invalid.
Expr Sqrt(const Expr& a);
// By a known whole exponent from 0 to 8; by any other invalid.
Expr Pow(const Expr& a, const Expr& b);

}  // namespace tessera::kernels

#endif  // TESSERA_CODEGEN_SUPPORT_SCALAR_EXPR_H_
