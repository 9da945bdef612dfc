#include "codegen/support/fraction.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tessera::kernels {
namespace {

bool Real(const Fraction& a, const Fraction& b) { return a.bits != 0 || b.bits != 0; }

bool Follows(const Fraction& a) { return !a.steps.empty(); }

bool IsInvalid(const Fraction& a) {
  return a.num.IsInvalid() || a.den.IsInvalid() || a.needs.IsInvalid();
}

bool IsPowerOfTwo(int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

// num/den in lower terms, as far as that is plain to see. den >= 1.
void Reduce(Expr& num, Expr& den) {
  if (den == Expr(1)) return;
  const Expr quotient = solver::FloorDiv(num, den);
  if (quotient * den == num) {
    num = quotient;
    den = 1;
    return;
  }
  if (!den.IsConstant()) return;
  const solver::Congruence c = solver::CongruenceOf(num);
  const int64_t common = std::gcd(std::gcd(c.stride, c.residue), *den.Constant());
  if (common <= 1) return;
  num = solver::FloorDiv(num, Expr(common));
  den = *den.Constant() / common;
}

// The float of `bits` bits nearest to num/den, den >= 1.
Fraction Nearest(Expr num, Expr den, const Expr& needs, int bits) {
  Reduce(num, den);
  const Expr limit = int64_t{1} << bits;
  Fraction result;
  result.bits = bits;
  result.rounded = !den.IsConstant() || !IsPowerOfTwo(*den.Constant());
  // Smaller ones could fall below the normal numbers.
  if (!result.rounded && *den.Constant() > (int64_t{1} << bits)) return Fraction::Invalid();
  const Expr room = result.rounded ? limit - den : limit;
  result.needs = solver::And(needs, solver::And(solver::Le(num, room), solver::Ge(num, -room)));
  result.num = std::move(num);
  result.den = std::move(den);
  return result;
}

// f over numerators of one denominator. Right for any f that chooses one of its arguments: rounding
// keeps their order.
template <class F>
Fraction Chosen(const Fraction& a, const Fraction& b, F f) {
  if (Follows(a) || Follows(b)) return Fraction::Invalid();
  Fraction result;
  result.bits = std::max(a.bits, b.bits);
  result.rounded = a.rounded || b.rounded;
  result.needs = solver::And(a.needs, b.needs);
  const bool same = a.den == b.den;
  result.den = same ? a.den : a.den * b.den;
  result.num = same ? f(a.num, b.num) : f(a.num * b.den, b.num * a.den);
  return result;
}

// f(p, q) with a == p/q and a whole number as the result.
template <class F>
Fraction Whole(const Fraction& a, F f) {
  Fraction result = a;
  if (a.den == Expr(1)) return result;
  result.num = f(a.num, a.den);
  result.den = 1;
  result.rounded = false;
  return result;
}

// Both sides over one denominator. Comparing what has been rounded, or what is not known to be the
// float, says nothing.
template <class F>
Expr Compare(const Fraction& a, const Fraction& b, F f) {
  if (Follows(a) || Follows(b)) return Expr::Invalid();
  if (!Real(a, b)) return f(a.num, b.num);
  if (a.rounded || b.rounded || a.needs != Expr(1) || b.needs != Expr(1)) return Expr::Invalid();
  return f(a.num * b.den, b.num * a.den);
}

// f on integers, and on floats that are integers.
template <class F>
Fraction OfIntegers(const Fraction& a, const Fraction& b, F f) {
  if (Follows(a) || Follows(b)) return Fraction::Invalid();
  if (a.den != Expr(1) || b.den != Expr(1)) return Fraction::Invalid();
  Fraction result(f(a.num, b.num));
  result.bits = std::max(a.bits, b.bits);
  result.needs = solver::And(a.needs, b.needs);
  return result;
}

// Of integers.
Fraction Sum(const Fraction& a, const Fraction& b) {
  Fraction result(a.num + b.num);
  result.steps = a.steps;
  result.steps.resize(std::max(a.steps.size(), b.steps.size()));
  for (size_t i = 0; i < b.steps.size(); ++i) result.steps[i] += b.steps[i];
  return result;
}

Fraction Product(const Fraction& a, const Fraction& b) {
  if (Follows(a) && Follows(b)) return Fraction::Invalid();
  Fraction result(a.num * b.num);
  result.steps = Follows(a) ? a.steps : b.steps;
  for (Expr& step : result.steps) step *= Follows(a) ? b.num : a.num;
  return result;
}

}  // namespace

int PrecisionOf(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kF16:
      return 11;
    case ir::DType::kBF16:
      return 8;
    case ir::DType::kF32:
      return 24;
    case ir::DType::kF64:
      return 53;
    default:
      return 0;
  }
}

Fraction FractionOf(double value, ir::DType dtype) {
  if (ir::Contains(ir::kNarrowFloatTypes, dtype))
    return Fraction::Invalid();  // no sizes pass there
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  if (!std::isfinite(mantissa)) return Fraction::Invalid();
  int64_t num = static_cast<int64_t>(std::ldexp(mantissa, 53));
  int shift = 53 - exponent;  // value == num / 2^shift
  while (num % 2 == 0 && num != 0 && shift > 0) {
    num /= 2;
    --shift;
  }
  if (num == 0) shift = 0;
  if (shift > 60 || shift < -8) return Fraction::Invalid();
  Fraction result(shift < 0 ? num * (int64_t{1} << -shift) : num);
  if (shift > 0) result.den = int64_t{1} << shift;
  result.bits = PrecisionOf(dtype);
  return result;
}

Fraction Convert(const Fraction& v, ir::DType dtype) {
  if (ir::Contains(ir::kNarrowFloatTypes, dtype)) return Fraction::Invalid();
  const int bits = PrecisionOf(dtype);
  if (Follows(v) && !ir::IsInteger(dtype)) return Fraction::Invalid();
  if (dtype == ir::DType::kBool) {
    // What is not 0 stays so when it is rounded.
    Fraction result(solver::Ne(v.num, Expr(0)));
    result.needs = v.needs;
    return result;
  }
  if (bits == 0) {
    Fraction result = Trunc(v);
    result.bits = 0;
    return result;
  }
  if (v.bits == bits) return v;
  if (v.rounded) return Fraction::Invalid();
  return Nearest(v.num, v.den, v.needs, bits);
}

Fraction Add(const Fraction& a, const Fraction& b) {
  if (!Real(a, b)) return Sum(a, b);
  if (a.rounded || b.rounded || Follows(a) || Follows(b)) return Fraction::Invalid();
  const bool same = a.den == b.den;
  return Nearest(same ? a.num + b.num : a.num * b.den + b.num * a.den, same ? a.den : a.den * b.den,
                 solver::And(a.needs, b.needs), std::max(a.bits, b.bits));
}

Fraction Sub(const Fraction& a, const Fraction& b) { return Add(a, Neg(b)); }

Fraction Mul(const Fraction& a, const Fraction& b) {
  if (!Real(a, b)) return Product(a, b);
  if (a.rounded || b.rounded || Follows(a) || Follows(b)) return Fraction::Invalid();
  return Nearest(a.num * b.num, a.den * b.den, solver::And(a.needs, b.needs),
                 std::max(a.bits, b.bits));
}

Fraction Div(const Fraction& a, const Fraction& b) {
  if (Follows(a) || Follows(b)) return Fraction::Invalid();
  if (!Real(a, b)) return Fraction(Div(a.num, b.num));
  if (a.rounded || b.rounded || IsInvalid(b)) return Fraction::Invalid();
  const solver::Range divisor = solver::RangeOf(b.num);
  if (divisor.lo < 1 && divisor.hi > -1) return Fraction::Invalid();
  const bool flip = divisor.lo < 1;
  return Nearest(a.num * (flip ? -b.den : b.den), a.den * (flip ? -b.num : b.num),
                 solver::And(a.needs, b.needs), std::max(a.bits, b.bits));
}

Fraction Fmod(const Fraction& a, const Fraction& b) {
  return OfIntegers(a, b, [](const Expr& x, const Expr& y) { return Fmod(x, y); });
}

Fraction PyMod(const Fraction& a, const Fraction& b) {
  return OfIntegers(a, b, [](const Expr& x, const Expr& y) { return PyMod(x, y); });
}

Fraction Neg(const Fraction& a) {
  Fraction result = a;
  result.num = -a.num;
  for (Expr& step : result.steps) step = -step;
  return result;
}

Fraction Abs(const Fraction& a) {
  if (Follows(a)) return Fraction::Invalid();
  Fraction result = a;
  result.num = solver::Abs(a.num);
  return result;
}

Fraction Sign(const Fraction& a) {
  if (Follows(a)) return Fraction::Invalid();
  Fraction result = a;
  result.num = Sign(a.num);
  result.den = 1;
  result.rounded = false;
  return result;
}

Fraction Floor(const Fraction& a) {
  return Whole(a, [](const Expr& p, const Expr& q) { return solver::FloorDiv(p, q); });
}

Fraction Ceil(const Fraction& a) {
  return Whole(a, [](const Expr& p, const Expr& q) { return solver::CeilDiv(p, q); });
}

Fraction Trunc(const Fraction& a) {
  return Whole(a, [](const Expr& p, const Expr& q) { return solver::TruncDiv(p, q); });
}

Fraction Round(const Fraction& a) {
  if (a.rounded) return Fraction::Invalid();  // halves would have to keep their distance as well
  return Whole(a, [](const Expr& p, const Expr& q) {
    const Expr up = solver::FloorDiv(2 * p + q, 2 * q);
    const Expr tie = solver::Eq(solver::Mod(2 * p + q, 2 * q), Expr(0));
    return up - solver::Ite(tie, solver::Mod(up, Expr(2)), Expr(0));
  });
}

Fraction Min(const Fraction& a, const Fraction& b) {
  return Chosen(a, b, [](const Expr& x, const Expr& y) { return solver::Min(x, y); });
}

Fraction Max(const Fraction& a, const Fraction& b) {
  return Chosen(a, b, [](const Expr& x, const Expr& y) { return solver::Max(x, y); });
}

Fraction Xor(const Fraction& a, const Fraction& b) { return Fraction(Ne(a, b)); }

Fraction Select(const Expr& c, const Fraction& a, const Fraction& b) {
  if (const auto known = c.Constant()) return *known != 0 ? a : b;
  return Chosen(a, b, [&](const Expr& x, const Expr& y) { return solver::Ite(c, x, y); });
}

Expr Eq(const Fraction& a, const Fraction& b) {
  return Compare(a, b, [](const Expr& x, const Expr& y) { return solver::Eq(x, y); });
}

Expr Lt(const Fraction& a, const Fraction& b) {
  return Compare(a, b, [](const Expr& x, const Expr& y) { return solver::Lt(x, y); });
}

Expr Le(const Fraction& a, const Fraction& b) {
  return Compare(a, b, [](const Expr& x, const Expr& y) { return solver::Le(x, y); });
}

}  // namespace tessera::kernels
