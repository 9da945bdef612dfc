#include "nests/arithmetic.h"

#include "codegen/support/scalar.h"

namespace tessera::nests {
namespace {

// The C++ value of a number, and back.
template <class F>
auto Unpack(const Value& v, F f) {
  switch (v.number) {
    case Number::kF32:
      return f(static_cast<float>(v.f));
    case Number::kF64:
      return f(v.f);
    case Number::kU64:
      return f(v.u);
    case Number::kBool:
      return f(static_cast<uint8_t>(v.i));
    case Number::kI64:
      break;
  }
  return f(v.i);
}

template <class T>
Value Pack(T v) {
  if constexpr (std::is_same_v<T, float>) return Value::OfFloat(Number::kF32, v);
  if constexpr (std::is_same_v<T, double>) return Value::OfFloat(Number::kF64, v);
  if constexpr (std::is_same_v<T, uint64_t>) return Value::OfUnsigned(v);
  if constexpr (kernels::Truth<T>) return Value::OfInt(Number::kBool, v != 0 ? 1 : 0);
  return Value::OfInt(Number::kI64, static_cast<int64_t>(v));
}

template <class T>
T As(const Value& v) {
  return Unpack(v, [](auto x) { return kernels::Cast<T>(x); });
}

template <class T>
Value Unary(Function function, T a) {
  switch (function) {
    case Function::kNeg:
      return Pack(kernels::Neg(a));
    case Function::kAbs:
      return Pack(kernels::Abs(a));
    case Function::kSign:
      return Pack(kernels::Sign(a));
    case Function::kFloor:
      return Pack(kernels::Floor(a));
    case Function::kCeil:
      return Pack(kernels::Ceil(a));
    case Function::kRound:
      return Pack(kernels::Round(a));
    case Function::kTrunc:
      return Pack(kernels::Trunc(a));
    case Function::kSqrt:
      return Pack(kernels::Sqrt(a));
    case Function::kExp:
      return Pack(kernels::Exp(a));
    case Function::kLog:
      return Pack(kernels::Log(a));
    case Function::kSin:
      return Pack(kernels::Sin(a));
    case Function::kCos:
      return Pack(kernels::Cos(a));
    case Function::kTan:
      return Pack(kernels::Tan(a));
    case Function::kAsin:
      return Pack(kernels::Asin(a));
    case Function::kAcos:
      return Pack(kernels::Acos(a));
    case Function::kAtan:
      return Pack(kernels::Atan(a));
    case Function::kSinh:
      return Pack(kernels::Sinh(a));
    case Function::kCosh:
      return Pack(kernels::Cosh(a));
    case Function::kTanh:
      return Pack(kernels::Tanh(a));
    case Function::kAsinh:
      return Pack(kernels::Asinh(a));
    case Function::kAcosh:
      return Pack(kernels::Acosh(a));
    case Function::kAtanh:
      return Pack(kernels::Atanh(a));
    case Function::kErf:
      return Pack(kernels::Erf(a));
    case Function::kIsNan:
      return Pack(kernels::IsNan(a));
    case Function::kIsInf:
      return Pack(kernels::IsInf(a));
    case Function::kIsPosInf:
      return Pack(kernels::IsPosInf(a));
    case Function::kIsNegInf:
      return Pack(kernels::IsNegInf(a));
    case Function::kNot:
      return Pack(kernels::Not(a));
    default:
      break;
  }
  if constexpr (kernels::Integer<T>) {
    if (function == Function::kBitNot) return Pack(kernels::BitNot(a));
  }
  return Pack(a);
}

template <class T>
Value Binary(Function function, T a, T b) {
  switch (function) {
    case Function::kAdd:
      return Pack(kernels::Add(a, b));
    case Function::kSub:
      return Pack(kernels::Sub(a, b));
    case Function::kMul:
      return Pack(kernels::Mul(a, b));
    case Function::kDiv:
      return Pack(kernels::Div(a, b));
    case Function::kMin:
      return Pack(kernels::Min(a, b));
    case Function::kMax:
      return Pack(kernels::Max(a, b));
    case Function::kPow:
      return Pack(kernels::Pow(a, b));
    case Function::kFmod:
      return Pack(kernels::Fmod(a, b));
    case Function::kPyMod:
      return Pack(kernels::PyMod(a, b));
    case Function::kEq:
      return Pack(kernels::Eq(a, b));
    case Function::kNe:
      return Pack(kernels::Ne(a, b));
    case Function::kLt:
      return Pack(kernels::Lt(a, b));
    case Function::kLe:
      return Pack(kernels::Le(a, b));
    case Function::kGt:
      return Pack(kernels::Gt(a, b));
    case Function::kGe:
      return Pack(kernels::Ge(a, b));
    case Function::kAnd:
      return Pack(kernels::And(a, b));
    case Function::kOr:
      return Pack(kernels::Or(a, b));
    default:
      break;
  }
  if constexpr (kernels::Integer<T>) {
    switch (function) {
      case Function::kBitAnd:
        return Pack(kernels::BitAnd(a, b));
      case Function::kBitOr:
        return Pack(kernels::BitOr(a, b));
      case Function::kBitXor:
        return Pack(kernels::BitXor(a, b));
      case Function::kShl:
        return Pack(kernels::Shl(a, b));
      case Function::kShr:
        return Pack(kernels::Shr(a, b));
      default:
        break;
    }
  }
  return Pack(a);
}

}  // namespace

Value Convert(Number number, const Value& value) {
  if (value.number == number) return value;
  switch (number) {
    case Number::kF32:
      return Pack(As<float>(value));
    case Number::kF64:
      return Pack(As<double>(value));
    case Number::kI64:
      return Pack(As<int64_t>(value));
    case Number::kU64:
      return Pack(As<uint64_t>(value));
    case Number::kBool:
      return Pack(As<uint8_t>(value));
  }
  return value;
}

Value Apply(Function function, absl::Span<const Value> args) {
  if (function == Function::kSelect) return args[0].IsTrue() ? args[1] : args[2];
  if (args.size() == 1) return Unpack(args[0], [&](auto a) { return Unary(function, a); });
  return Unpack(args[0], [&](auto a) { return Binary(function, a, As<decltype(a)>(args[1])); });
}

Value Combine(Reduction reduction, const Value& sum, const Value& term) {
  constexpr Function kSteps[] = {Function::kAdd, Function::kMul, Function::kMin,
                                 Function::kMax, Function::kOr,  Function::kAnd};
  return Apply(kSteps[static_cast<size_t>(reduction)], {sum, term});
}

Value ElementOf(const ir::Tensor& tensor, int64_t i, Number number) {
  if (ir::IsFloat(tensor.dtype()))
    return Convert(number, Value::OfFloat(Number::kF64, tensor.AsDouble(i)));
  if (tensor.dtype() == ir::DType::kU64)
    return Convert(number, Value::OfUnsigned(static_cast<uint64_t>(tensor.AsInt(i))));
  return Convert(number, Value::OfInt(Number::kI64, tensor.AsInt(i)));
}

}  // namespace tessera::nests
