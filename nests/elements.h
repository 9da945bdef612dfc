// The element functions of the op language over scalars of nests, under the names by which
// generated code calls them (codegen/support/scalar.h has those over numbers, scalar_expr.h those
// over symbolic integers). Arguments are of one number type.
#ifndef TESSERA_NESTS_ELEMENTS_H_
#define TESSERA_NESTS_ELEMENTS_H_

#include "ir/dtype.h"
#include "nests/scalar.h"

namespace tessera::nests {

// Constants, in the number type of whoever uses them.
Scalar Lit(Number number, double v);
Scalar Lit(Number number, int64_t v);
// The limits of a dtype: -inf and inf for floats.
Scalar Lowest(Number number, ir::DType dtype);
Scalar Highest(Number number, ir::DType dtype);
// An expression of sizes and axes as an element; whether a proposition holds; whether v is not 0.
Scalar OfIndex(Number number, const Expr& index);
inline Scalar Truth(const Expr& proposition) { return Scalar::OfProposition(proposition); }
inline Scalar Truth(bool truth) { return Scalar::Truth(truth); }
Scalar NonZero(const Scalar& v);
// Towards `dtype`, which computes in `number`: what becomes a bool is compared with 0.
Scalar CastElement(Number number, const Scalar& v, ir::DType dtype);
inline Scalar Cast(Number number, const Scalar& v) { return Scalar::Cast(number, v); }

}  // namespace tessera::nests

namespace tessera::kernels {

inline nests::Scalar Neg(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kNeg, a->number, {a});
}
inline nests::Scalar Abs(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kAbs, a->number, {a});
}
inline nests::Scalar Sign(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kSign, a->number, {a});
}
inline nests::Scalar Floor(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kFloor, a->number, {a});
}
inline nests::Scalar Ceil(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kCeil, a->number, {a});
}
inline nests::Scalar Round(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kRound, a->number, {a});
}
inline nests::Scalar Trunc(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kTrunc, a->number, {a});
}
inline nests::Scalar Sqrt(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kSqrt, a->number, {a});
}
inline nests::Scalar Exp(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kExp, a->number, {a});
}
inline nests::Scalar Log(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kLog, a->number, {a});
}
inline nests::Scalar Sin(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kSin, a->number, {a});
}
inline nests::Scalar Cos(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kCos, a->number, {a});
}
inline nests::Scalar Tan(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kTan, a->number, {a});
}
inline nests::Scalar Asin(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kAsin, a->number, {a});
}
inline nests::Scalar Acos(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kAcos, a->number, {a});
}
inline nests::Scalar Atan(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kAtan, a->number, {a});
}
inline nests::Scalar Sinh(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kSinh, a->number, {a});
}
inline nests::Scalar Cosh(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kCosh, a->number, {a});
}
inline nests::Scalar Tanh(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kTanh, a->number, {a});
}
inline nests::Scalar Asinh(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kAsinh, a->number, {a});
}
inline nests::Scalar Acosh(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kAcosh, a->number, {a});
}
inline nests::Scalar Atanh(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kAtanh, a->number, {a});
}
inline nests::Scalar Erf(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kErf, a->number, {a});
}
inline nests::Scalar BitNot(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kBitNot, a->number, {a});
}
inline nests::Scalar IsNan(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kIsNan, a->number, {a});
}
inline nests::Scalar IsInf(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kIsInf, a->number, {a});
}
inline nests::Scalar IsPosInf(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kIsPosInf, a->number, {a});
}
inline nests::Scalar IsNegInf(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kIsNegInf, a->number, {a});
}
inline nests::Scalar Not(const nests::Scalar& a) {
  return nests::Scalar::Call(nests::Function::kNot, a->number, {a});
}
inline nests::Scalar Add(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kAdd, a->number, {a, b});
}
inline nests::Scalar Sub(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kSub, a->number, {a, b});
}
inline nests::Scalar Mul(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kMul, a->number, {a, b});
}
inline nests::Scalar Div(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kDiv, a->number, {a, b});
}
inline nests::Scalar Min(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kMin, a->number, {a, b});
}
inline nests::Scalar Max(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kMax, a->number, {a, b});
}
inline nests::Scalar Pow(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kPow, a->number, {a, b});
}
inline nests::Scalar Fmod(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kFmod, a->number, {a, b});
}
inline nests::Scalar PyMod(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kPyMod, a->number, {a, b});
}
inline nests::Scalar BitAnd(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kBitAnd, a->number, {a, b});
}
inline nests::Scalar BitOr(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kBitOr, a->number, {a, b});
}
inline nests::Scalar BitXor(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kBitXor, a->number, {a, b});
}
inline nests::Scalar Shl(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kShl, a->number, {a, b});
}
inline nests::Scalar Shr(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kShr, a->number, {a, b});
}
inline nests::Scalar Eq(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kEq, a->number, {a, b});
}
inline nests::Scalar Ne(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kNe, a->number, {a, b});
}
inline nests::Scalar Lt(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kLt, a->number, {a, b});
}
inline nests::Scalar Le(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kLe, a->number, {a, b});
}
inline nests::Scalar Gt(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kGt, a->number, {a, b});
}
inline nests::Scalar Ge(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kGe, a->number, {a, b});
}
inline nests::Scalar And(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kAnd, a->number, {a, b});
}
inline nests::Scalar Or(const nests::Scalar& a, const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kOr, a->number, {a, b});
}
inline nests::Scalar Select(const nests::Scalar& c, const nests::Scalar& a,
                            const nests::Scalar& b) {
  return nests::Scalar::Call(nests::Function::kSelect, a->number, {c, a, b});
}
inline nests::Scalar TruthOf(bool b) { return nests::Scalar::Truth(b); }

}  // namespace tessera::kernels

#endif  // TESSERA_NESTS_ELEMENTS_H_
