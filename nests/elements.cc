#include "nests/elements.h"

#include "codegen/support/scalar.h"
#include "nests/arithmetic.h"

namespace tessera::nests {

Scalar Lit(Number number, double v) {
  return Scalar::Literal(Convert(number, Value::OfFloat(Number::kF64, v)));
}

Scalar Lit(Number number, int64_t v) {
  return Scalar::Literal(Convert(number, Value::OfInt(Number::kI64, v)));
}

Scalar Lowest(Number number, ir::DType dtype) {
  if (IsFloat(number)) return Lit(number, kernels::Lowest<double>());
  if (number != Number::kI64) return Scalar::Literal(IdentityOf(Reduction::kMax, number));
  return Lit(number, kernels::Lowest<int64_t>(dtype));
}

Scalar Highest(Number number, ir::DType dtype) {
  if (IsFloat(number)) return Lit(number, kernels::Highest<double>());
  if (number != Number::kI64) return Scalar::Literal(IdentityOf(Reduction::kMin, number));
  return Lit(number, kernels::Highest<int64_t>(dtype));
}

Scalar OfIndex(Number number, const Expr& index) {
  const Scalar whole = Scalar::OfIndex(index);
  if (whole->kind == ScalarNode::kLiteral) return Scalar::Literal(Convert(number, whole->literal));
  return Scalar::Cast(number, whole);
}

Scalar NonZero(const Scalar& v) {
  return v->number == Number::kBool ? v : kernels::Ne(v, Lit(v->number, int64_t{0}));
}

Scalar CastElement(Number number, const Scalar& v, ir::DType dtype) {
  return Scalar::Cast(number, dtype == ir::DType::kBool ? NonZero(v) : v);
}

}  // namespace tessera::nests
