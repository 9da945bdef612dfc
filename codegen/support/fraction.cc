#include "codegen/support/fraction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
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
  if (!den.IsConstant()) {
    // Of sizes that are in proportion: 3*H to 2*H.
    constexpr int64_t kMostParts = 16;
    for (int64_t parts = 2; parts <= kMostParts; ++parts) {
      const Expr ratio = solver::FloorDiv(num * parts, den);
      if (!ratio.IsConstant() || ratio * den != num * parts) continue;
      num = ratio;
      den = parts;
      return;
    }
    return;
  }
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

// p/q, and up to which n the float nearest to n * c has the same floor and ceiling as n * p/q.
struct Ratio {
  int64_t p = 0, q = 1, most = 0;
};

// c is num/den, a float of `bits` bits. With d = |c - p/q|, the float nearest to n * c lies within
// n * (d + c * 2^-bits) of n * p/q, which is at least 1/q away from the next integer unless it is
// one; there, n is j * q, and the float must be j * p.
int64_t MostOf(int64_t num, int64_t den, int64_t p, int64_t q, int bits) {
  const __int128 off = static_cast<__int128>(num) * q - static_cast<__int128>(p) * den;
  const __int128 away = off < 0 ? -off : off;  // d * den * q
  const long double reach = static_cast<long double>(away) / den +
                            std::ldexp(static_cast<long double>(num) / den, -bits) * q;
  const auto most = static_cast<int64_t>(std::min(0.98L / reach, std::ldexp(1.0L, 24)));
  for (int64_t j = 1; j * q <= most; ++j) {
    // Half of the distance to the neighbour on that side, times 2^(bits + 2).
    const auto whole = static_cast<uint64_t>(j) * static_cast<uint64_t>(p);
    const int length = 64 - std::countl_zero(whole);
    const int gap = off < 0 && std::has_single_bit(whole) ? length : length + 1;
    const __int128 distance = (away * j) << (bits + 2), half = static_cast<__int128>(den) << gap;
    // Between two floats the even one is taken, which a whole number of fewer bits is.
    if (distance > half || (distance == half && length >= bits)) return j * q - 1;
  }
  return most;
}

// The convergent of num/den that serves the most n.
Ratio RatioOf(int64_t num, int64_t den, int bits) {
  constexpr int64_t kLargest = int64_t{1} << 16;  // denominator
  Ratio best;
  int64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  for (int64_t a = num, b = den; b != 0;) {
    const int64_t quotient = a / b;
    if (quotient > kLargest) break;
    const int64_t p = quotient * p1 + p0, q = quotient * q1 + q0;
    if (q > kLargest) break;
    p0 = std::exchange(p1, p);
    q0 = std::exchange(q1, q);
    a = std::exchange(b, a % b);
    if (p == 0) continue;
    if (const int64_t most = MostOf(num, den, p, q, bits); most > best.most) best = {p, q, most};
  }
  return best;
}

// `whole` times the constant num/den, of which one is a float of `bits` bits and the other a power
// of two; nothing: what is exact leaves sizes enough room, or there is no such fraction.
std::optional<Fraction> Multiple(const Fraction& whole, const Fraction& c, const Expr& c_num,
                                 const Expr& c_den, int bits) {
  constexpr int kSizeBits = 15;  // of products that are wanted
  constexpr int64_t kFewSizes = 1024;
  const std::optional<int64_t> num = c_num.Constant(), den = c_den.Constant();
  if (bits < 24 || whole.den != Expr(1) || whole.num.IsConstant() || !num || !den || *den < 1 ||
      *den > (int64_t{1} << 56) || std::abs(*num) > (int64_t{1} << 56) ||
      std::abs(*num) <= (int64_t{1} << (bits - kSizeBits)))
    return std::nullopt;
  const Ratio ratio = RatioOf(std::abs(*num), *den, bits);
  if (ratio.most < kFewSizes) return std::nullopt;
  Fraction result;
  result.bits = bits;
  result.num = whole.num * (*num < 0 ? -ratio.p : ratio.p);
  result.den = ratio.q;
  Reduce(result.num, result.den);
  result.rounded = result.den != Expr(1);
  const Expr within = solver::And(solver::Le(whole.num, Expr(ratio.most)),
                                  solver::Ge(whole.num, Expr(-ratio.most)));
  result.needs = solver::And(solver::And(whole.needs, c.needs), within);
  return result;
}

// A rounded quotient of sizes times what makes a whole number of it, as H * (W / H): the float may
// lie on either side of it, but off by no more than two roundings, so that its nearest integer is
// known. That, and no more, is what a fraction p/1 says that is `rounded`.
Fraction Restored(const Fraction& quotient, const Fraction& factor) {
  if (Follows(factor) || factor.den != Expr(1) || quotient.den.IsConstant())
    return Fraction::Invalid();
  Fraction result;
  result.num = quotient.num * factor.num;
  result.den = quotient.den;
  Reduce(result.num, result.den);
  const int bits = std::max(quotient.bits, factor.bits);
  if (result.den != Expr(1) || bits < 4) return Fraction::Invalid();
  result.bits = bits;
  result.rounded = true;
  // Each rounding moves it by a part in 2^bits at most.
  const Expr most = int64_t{1} << (bits - 3);
  result.needs =
      solver::And(solver::And(quotient.needs, factor.needs),
                  solver::And(solver::Le(result.num, most), solver::Ge(result.num, -most)));
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
    if (v.rounded && v.den == Expr(1)) return Fraction::Invalid();
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
  if (a.rounded != b.rounded) return a.rounded ? Restored(a, b) : Restored(b, a);
  if (a.rounded || b.rounded || Follows(a) || Follows(b)) return Fraction::Invalid();
  const int bits = std::max(a.bits, b.bits);
  if (std::optional<Fraction> multiple = Multiple(a, b, b.num, b.den, bits))
    return *std::move(multiple);
  if (std::optional<Fraction> multiple = Multiple(b, a, a.num, a.den, bits))
    return *std::move(multiple);
  return Nearest(a.num * b.num, a.den * b.den, solver::And(a.needs, b.needs), bits);
}

Fraction Div(const Fraction& a, const Fraction& b) {
  if (Follows(a) || Follows(b)) return Fraction::Invalid();
  if (!Real(a, b)) return Fraction(Div(a.num, b.num));
  if (a.rounded || b.rounded || IsInvalid(b)) return Fraction::Invalid();
  const solver::Range divisor = solver::RangeOf(b.num);
  if (divisor.lo < 1 && divisor.hi > -1) return Fraction::Invalid();
  const bool flip = divisor.lo < 1;
  const int bits = std::max(a.bits, b.bits);
  if (std::optional<Fraction> multiple =
          Multiple(a, b, flip ? -b.den : b.den, flip ? -b.num : b.num, bits))
    return *std::move(multiple);
  return Nearest(a.num * (flip ? -b.den : b.den), a.den * (flip ? -b.num : b.num),
                 solver::And(a.needs, b.needs), bits);
}

Fraction Sqrt(const Fraction& a) {
  const Expr num = Sqrt(a.num), den = Sqrt(a.den);
  if (a.bits == 0 || a.rounded || num.IsInvalid() || den.IsInvalid()) return Fraction::Invalid();
  return Nearest(num, den, a.needs, a.bits);
}

Fraction Pow(const Fraction& a, const Fraction& b) {
  if (b.num == Expr(1) && b.den == Expr(2)) return Sqrt(a);
  if (a.rounded || b.rounded || Follows(a) || Follows(b) || b.den != Expr(1))
    return Fraction::Invalid();
  const Expr num = Pow(a.num, b.num), den = Pow(a.den, b.num);
  if (num.IsInvalid() || den.IsInvalid()) return Fraction::Invalid();
  const Expr needs = solver::And(a.needs, b.needs);
  if (Real(a, b)) return Nearest(num, den, needs, std::max(a.bits, b.bits));
  Fraction result(num);
  result.needs = needs;
  return result;
}

}  // namespace tessera::kernels
