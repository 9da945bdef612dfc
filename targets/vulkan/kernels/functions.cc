#include "targets/vulkan/kernels/functions.h"

#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tessera::vulkan {
namespace {

struct Function {
  std::string_view name;
  std::string_view text;
};

// Each before those that it calls. Functions of one name with other types have names of their own.
constexpr std::array kFunctions = {
    Function{"FloorDiv", R"(int FloorDiv(int a, int b) {
  int q = a / b;
  return a - q * b < 0 ? q - 1 : q;
}
)"},
    // By its halves: Mesa 22.3 compares a sign-extended 32-bit integer, if it knows it for one, as
    // though it were not negative.
    Function{"Wide", R"(int64_t Wide(int v) {
  return packInt2x32(ivec2(v, v >> 31));
}
)"},
    Function{"WideUnsigned", R"(int64_t WideUnsigned(uint v) {
  return packInt2x32(ivec2(int(v), 0));
}
)"},
    Function{"IntQuotient", R"(int64_t IntQuotient(int64_t a, int64_t b) {
  return b == 0L ? 0L : b == -1L ? -a : a / b;
}
)"},
    Function{"UintQuotient", R"(uint64_t UintQuotient(uint64_t a, uint64_t b) {
  return b == 0UL ? 0UL : a / b;
}
)"},
    Function{"IntModulo", R"(int64_t IntModulo(int64_t a, int64_t b) {
  int64_t r = IntRemainder(a, b);
  return r != 0L && (r < 0L) != (b < 0L) ? r + b : r;
}
)"},
    Function{"IntRemainder", R"(int64_t IntRemainder(int64_t a, int64_t b) {
  return b == 0L || b == -1L ? 0L : a - a / b * b;
}
)"},
    Function{"UintRemainder", R"(uint64_t UintRemainder(uint64_t a, uint64_t b) {
  return b == 0UL ? 0UL : a % b;
}
)"},
    Function{"IntPower", R"(int64_t IntPower(int64_t a, int64_t b) {
  if (b < 0L) return a == 1L ? 1L : a == -1L ? ((b & 1L) != 0L ? -1L : 1L) : 0L;
  int64_t power = 1L;
  for (int64_t square = a; b != 0L; b >>= 1) {
    if ((b & 1L) != 0L) power *= square;
    square *= square;
  }
  return power;
}
)"},
    Function{"IntShl", R"(int64_t IntShl(int64_t a, int64_t b) {
  return b < 0L || b >= 63L ? 0L : a << int(b);
}
)"},
    Function{"IntShr", R"(int64_t IntShr(int64_t a, int64_t b) {
  return b < 0L || b >= 63L ? 0L : a >> int(b);
}
)"},
    Function{"UintShl", R"(uint64_t UintShl(uint64_t a, uint64_t b) {
  return b >= 64UL ? 0UL : a << int(b);
}
)"},
    Function{"UintShr", R"(uint64_t UintShr(uint64_t a, uint64_t b) {
  return b >= 64UL ? 0UL : a >> int(b);
}
)"},
    Function{"FloatToInt", R"(int64_t FloatToInt(float v) {
  if (isnan(v)) return 0L;
  if (v < -9223372036854775808.0) return -9223372036854775807L - 1L;
  if (v >= 9223372036854775808.0) return 9223372036854775807L;
  return int64_t(v);
}
)"},
    Function{"FloatToUint", R"(uint64_t FloatToUint(float v) {
  if (isnan(v) || v < 0.0) return 0UL;
  if (v >= 18446744073709551616.0) return 18446744073709551615UL;
  return uint64_t(v);
}
)"},
    Function{"DoubleToInt", R"(int64_t DoubleToInt(double v) {
  if (isnan(v)) return 0L;
  if (v < -9223372036854775808.0lf) return -9223372036854775807L - 1L;
  if (v >= 9223372036854775808.0lf) return 9223372036854775807L;
  return int64_t(v);
}
)"},
    Function{"DoubleToUint", R"(uint64_t DoubleToUint(double v) {
  if (isnan(v) || v < 0.0lf) return 0UL;
  if (v >= 18446744073709551616.0lf) return 18446744073709551615UL;
  return uint64_t(v);
}
)"},
    // NaN if either is.
    Function{"FloatLeast", R"(float FloatLeast(float a, float b) {
  return a < b || isnan(a) ? a : b;
}
)"},
    Function{"FloatGreatest", R"(float FloatGreatest(float a, float b) {
  return a > b || isnan(a) ? a : b;
}
)"},
    // Mesa 22.3 rounds halves of doubles away from zero on processors without AVX-512.
    Function{"DoubleRound", R"(double DoubleRound(double v) {
  if (!(abs(v) < 4503599627370496.0lf)) return v;
  double low = floor(v);
  double rest = v - low;
  bool up = rest > 0.5lf || rest == 0.5lf && 2.0lf * floor(0.5lf * low) != low;
  double whole = up ? low + 1.0lf : low;
  return v < 0.0lf ? -abs(whole) : whole;
}
)"},
    Function{"DoubleModulo", R"(double DoubleModulo(double a, double b) {
  double r = DoubleRemainder(a, b);
  return r != 0.0lf && (r < 0.0lf) != (b < 0.0lf) ? r + b : r == 0.0lf ? (b < 0.0lf ? -0.0lf : 0.0lf) : r;
}
)"},
    // As FloatRemainder does it, eleven bits a round.
    Function{"DoubleRemainder", R"(double DoubleRemainder(double a, double b) {
  if (isnan(a) || isnan(b) || isinf(a) || b == 0.0lf) return double(uintBitsToFloat(0x7fc00000u));
  if (abs(a) < abs(b)) return a;
  uvec2 rest = unpackDouble2x32(abs(a)), divisor = unpackDouble2x32(abs(b));
  if (divisor.y < 0x00100000u) return a < 0.0lf ? -0.0lf : 0.0lf;
  uint64_t m = packUint2x32(uvec2(divisor.x, (divisor.y & 0x000fffffu) | 0x00100000u));
  uint64_t r = packUint2x32(uvec2(rest.x, (rest.y & 0x000fffffu) | 0x00100000u)) % m;
  for (int more = int(rest.y >> 20) - int(divisor.y >> 20); more > 0; more -= 11) r = (r << min(more, 11)) % m;
  double size = double(r) * 2.220446049250313e-16lf * packDouble2x32(uvec2(0u, divisor.y & 0x7ff00000u));
  return a < 0.0lf ? -size : size;
}
)"},
    // GLSL has neither of doubles. A power of two times e^r, |r| at most half of log 2, whose
    // series ends below the last bit after 14 terms.
    Function{"DoubleExp", R"(double DoubleExp(double x) {
  if (isnan(x)) return x;
  if (x > 709.782712893384lf) return double(uintBitsToFloat(0x7f800000u));
  if (x < -745.133219101941lf) return 0.0lf;
  double k = floor(x * 1.4426950408889634lf + 0.5lf);
  double r = x - k * 0.693147180369123816lf - k * 1.90821492927058770e-10lf;
  double sum = 1.0lf + r * (1.0lf + r * (0.5lf + r * (0.16666666666666666lf + r * (
      0.041666666666666664lf + r * (0.0083333333333333332lf + r * (0.0013888888888888889lf + r * (
      0.00019841269841269841lf + r * (2.4801587301587302e-05lf + r * (2.7557319223985893e-06lf + r * (
      2.7557319223985888e-07lf + r * (2.505210838544172e-08lf + r * (2.08767569878681e-09lf + r * (
      1.6059043836821613e-10lf + r * (1.1470745597729725e-11lf))))))))))))));
  int half_of = int(k) / 2;
  return sum * packDouble2x32(uvec2(0u, uint(half_of + 1023) << 20)) *
         packDouble2x32(uvec2(0u, uint(int(k) - half_of + 1023) << 20));
}
)"},
    // Of a fraction near 1 by the series of the area tangent.
    Function{"DoubleLog", R"(double DoubleLog(double x) {
  if (isnan(x) || x < 0.0lf) return double(uintBitsToFloat(0x7fc00000u));
  if (x == 0.0lf || isinf(x)) return double(uintBitsToFloat(x == 0.0lf ? 0xff800000u : 0x7f800000u));
  int exponent = -1023;
  if (unpackDouble2x32(x).y < 0x00100000u) {
    x *= 18014398509481984.0lf;
    exponent -= 54;
  }
  uvec2 bits = unpackDouble2x32(x);
  exponent += int(bits.y >> 20);
  double m = packDouble2x32(uvec2(bits.x, (bits.y & 0x000fffffu) | 0x3ff00000u));
  if (m > 1.4142135623730951lf) {
    m *= 0.5lf;
    ++exponent;
  }
  double f = (m - 1.0lf) / (m + 1.0lf), s = f * f;
  double sum = 1.0lf + s * (0.33333333333333331lf + s * (0.20000000000000001lf + s * (
      0.14285714285714285lf + s * (0.1111111111111111lf + s * (0.090909090909090912lf + s * (
      0.076923076923076927lf + s * (0.066666666666666666lf + s * (0.058823529411764705lf + s * (
      0.052631578947368418lf + s * (0.047619047619047616lf + s * (0.043478260869565216lf)))))))))));
  return double(exponent) * 0.693147180369123816lf + (2.0lf * f * sum + double(exponent) * 1.90821492927058770e-10lf);
}
)"},
    Function{"DoubleLeast", R"(double DoubleLeast(double a, double b) {
  return a < b || isnan(a) ? a : b;
}
)"},
    Function{"DoubleGreatest", R"(double DoubleGreatest(double a, double b) {
  return a > b || isnan(a) ? a : b;
}
)"},
    // To the nearest, ties to even: the bits that are lost are 13, and more of what has less than
    // the least exponent. In integers, which no device rounds.
    Function{"ToHalf", R"(uint ToHalf(float v) {
  uint bits = floatBitsToUint(v);
  int exponent = int((bits >> 23) & 0xffu);
  int lost = clamp(126 - exponent, 13, 31);
  uint whole = (bits & 0x007fffffu) | 0x00800000u;
  uint part = (whole + (1u << (lost - 1)) - 1u + ((whole >> lost) & 1u)) >> lost;
  uint size = min(part + (uint(max(exponent - 113, 0)) << 10), 0x7c00u);
  return ((bits >> 16) & 0x8000u) | ((bits & 0x7fffffffu) > 0x7f800000u ? 0x7e00u : size);
}
)"},
    // To the nearest, ties to even.
    Function{"ToBfloat", R"(uint ToBfloat(float v) {
  uint bits = floatBitsToUint(v);
  return isnan(v) ? 0x7fc0u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}
)"},
    // Floats of 8 bits and fewer, as ir/narrow.h has them. `specials`: what patterns with the
    // largest exponent are: 0 infinities and NaNs, 1 NaN where all bits are ones, 2 numbers, and
    // NaN is the pattern of -0, 3 numbers.
    Function{"FloatOfFew", R"(float FloatOfFew(uint v, int e, int m, int bias, int specials) {
  int sign = 1 << (e + m);
  int pattern = int(v) & (sign - 1);
  int most = sign - 1 - (specials == 0 ? 1 << m : specials == 1 ? 1 : 0);
  bool negative = (int(v) & sign) != 0;
  int part = pattern & ((1 << m) - 1);
  int step = max(pattern >> m, 1) - bias - m;
  float size = float(pattern < 1 << m ? part : part + (1 << m)) * uintBitsToFloat(uint(step + 127) << 23);
  if (specials == 2 && negative && pattern == 0) return uintBitsToFloat(0x7fc00000u);
  if (specials != 2 && pattern > most)
    size = uintBitsToFloat(specials == 0 && pattern == most + 1 ? 0x7f800000u : 0x7fc00000u);
  return negative ? -size : size;
}
)"},
    Function{"FewOfFloat", R"(uint FewOfFloat(float v, int e, int m, int bias, int specials) {
  uint bits = floatBitsToUint(v) & 0x7fffffffu;
  int sign = 1 << (e + m);
  int negative = (floatBitsToUint(v) >> 31) != 0u ? sign : 0;
  int most = sign - 1 - (specials == 0 ? 1 << m : specials == 1 ? 1 : 0);
  int beyond = specials == 0 ? negative | (most + 1) : specials == 2 ? sign : negative | (specials == 1 ? sign - 1 : most);
  if (bits > 0x7f800000u)
    return uint(specials == 0 ? negative | (most + 1) | (1 << (m - 1)) : beyond);
  int exponent = max(int(bits >> 23) - 127, 1 - bias);
  if (exponent + bias > (1 << e)) return uint(beyond);
  float units = uintBitsToFloat(bits) * uintBitsToFloat(uint(m - exponent + 127) << 23);
  int whole = int(units);
  float rest = units - float(whole);
  if (rest > 0.5 || (rest == 0.5 && (whole & 1) != 0)) ++whole;
  int pattern = whole + ((exponent + bias - 1) << m);
  if (pattern > most) return uint(beyond);
  return uint(specials == 2 && pattern == 0 ? 0 : negative | pattern);
}
)"},
    // A power of two, or NaN.
    Function{"FloatOfPower", R"(float FloatOfPower(uint v) {
  return uintBitsToFloat(v == 0u ? 0x00400000u : v == 255u ? 0x7fc00000u : v << 23);
}
)"},
    Function{"PowerOfFloat", R"(uint PowerOfFloat(float v) {
  uint bits = floatBitsToUint(v);
  if (bits == 0x80000000u) return 0u;
  if (bits >= 0x7f800000u) return 255u;
  if (bits < 0x00800000u) return bits < 0x00600000u ? 0u : 1u;
  return (bits + 0x00400000u) >> 23;
}
)"},
    Function{"FloatSign", R"(float FloatSign(float a) {
  return isnan(a) ? a : sign(a);
}
)"},
    Function{"FloatModulo", R"(float FloatModulo(float a, float b) {
  float r = FloatRemainder(a, b);
  return r != 0.0 && (r < 0.0) != (b < 0.0) ? r + b : r == 0.0 ? (b < 0.0 ? -0.0 : 0.0) : r;
}
)"},
    // As long division of the mantissas, eight bits a round, which leave nothing behind 32 bits; no
    // remainder has more bits than b.
    Function{"FloatRemainder", R"(float FloatRemainder(float a, float b) {
  uint rest = floatBitsToUint(a) & 0x7fffffffu, divisor = floatBitsToUint(b) & 0x7fffffffu;
  if (rest >= 0x7f800000u || divisor > 0x7f800000u || b == 0.0) return uintBitsToFloat(0x7fc00000u);
  if (rest < divisor) return a;
  if (divisor < 0x00800000u) return a < 0.0 ? -0.0 : 0.0;
  uint m = (divisor & 0x007fffffu) | 0x00800000u;
  uint r = ((rest & 0x007fffffu) | 0x00800000u) % m;
  for (int more = int(rest >> 23) - int(divisor >> 23); more > 0; more -= 8) r = (r << min(more, 8)) % m;
  float size = float(r) * 1.1920928955078125e-7 * uintBitsToFloat(divisor & 0x7f800000u);
  return a < 0.0 ? -size : size;
}
)"},
    // Whole powers by multiplication, others by logarithms. Infinite exponents are whole and even.
    Function{"FloatPower", R"(float FloatPower(float a, float b) {
  if (b == 0.0 || a == 1.0) return 1.0;
  if (isnan(a) || isnan(b)) return uintBitsToFloat(0x7fc00000u);
  float m = abs(a);
  if (isinf(b) && m == 1.0) return 1.0;
  if (b == 0.5) return isinf(a) ? m : m == 0.0 ? 0.0 : sqrt(a);
  bool whole = b == floor(b);
  bool negative = (floatBitsToUint(a) >> 31) != 0u;
  float power = 1.0;
  if (whole && abs(b) <= 64.0) {
    float square = m;
    for (int e = int(abs(b)); e != 0; e >>= 1) {
      if ((e & 1) != 0) power *= square;
      square *= square;
    }
    if (b < 0.0) power = 1.0 / power;
  } else {
    power = m == 0.0 ? (b > 0.0 ? 0.0 : uintBitsToFloat(0x7f800000u)) : exp2(b * log2(m));
  }
  if (negative && !whole && m != 0.0 && !isinf(a)) return uintBitsToFloat(0x7fc00000u);
  return negative && whole && abs(b) < 16777216.0 && (int(b) & 1) != 0 ? -power : power;
}
)"},
    // Polynomials that were fitted in f64, near 0 in x^2 and beyond 1 in 1 / (1 + |x| / 2), where
    // they stand for what e^(-x^2) is multiplied by in 1 - erf; off by less than 2e-7 of the
    // result. No loop: an invocation computes many of these, and drivers take long to compile loops
    // in a row.
    Function{"FloatErf", R"(float FloatErf(float x) {
  float a = min(abs(x), 4.0);
  float s = a * a;
  float t = 1.0 / (1.0 + 0.5 * a);
  float near = a * (1.12837917 + s * (-0.376126269 + s * (0.112835975 + s * (-0.0268543288 +
      s * (0.00518931194 + s * (-0.000801885499 + s * 7.88249711e-05))))));
  float far = 1.0 - exp(-s) * (-0.000120402537 + t * (0.284325781 + t * (0.264107677 +
      t * (0.328946294 + t * (-0.0537935257 + t * (0.47981629 + t * (-0.384646034 +
      t * (0.0685304178 + t * 0.0129329228))))))));
  float size = a < 1.0 ? near : far;
  return isnan(x) ? x : x < 0.0 ? -size : size;
}
)"},
    Function{"FloatTanh", R"(float FloatTanh(float x) {
  if (isnan(x)) return x;
  if (abs(x) >= 10.0) return sign(x);
  if (abs(x) < 0.5) return FloatSinh(x) / (0.5 * (exp(x) + exp(-x)));
  float e = exp(2.0 * abs(x));
  return sign(x) * (1.0 - 2.0 / (e + 1.0));
}
)"},
    // Small arguments cancel in what GLSL computes them from.
    Function{"FloatSinh", R"(float FloatSinh(float x) {
  float s = x * x;
  return abs(x) < 0.5
      ? x * (1.0 + s * (1.0 / 6.0 + s * (1.0 / 120.0 + s * (1.0 / 5040.0 + s / 362880.0))))
      : abs(x) > 80.0 ? sign(x) * FloatHalfExp(abs(x)) : 0.5 * (exp(x) - exp(-x));
}
)"},
    Function{"FloatCosh", R"(float FloatCosh(float x) {
  return abs(x) > 80.0 ? FloatHalfExp(abs(x)) : 0.5 * (exp(x) + exp(-x));
}
)"},
    // Of numbers whose exponential is beyond the largest float.
    Function{"FloatHalfExp", R"(float FloatHalfExp(float x) {
  float root = exp(0.5 * x);
  return 0.5 * root * root;
}
)"},
    Function{"FloatAsinh", R"(float FloatAsinh(float x) {
  float a = abs(x);
  if (isnan(x)) return x;
  return sign(x) * (a < 1e9 ? FloatLog1p(a + a * a / (1.0 + sqrt(a * a + 1.0))) : log(a) + 0.693147181);
}
)"},
    // Drivers' own squares x, which has no end far out.
    Function{"FloatAcosh", R"(float FloatAcosh(float x) {
  float t = x - 1.0;
  if (isnan(x) || x < 1.0) return uintBitsToFloat(0x7fc00000u);
  return x < 1e9 ? FloatLog1p(t + sqrt(t * (t + 2.0))) : log(x) + 0.693147181;
}
)"},
    // GLSL promises nothing of these beyond pi, and little within. Polynomials of what FloatTurn
    // leaves, of the sine or the cosine by the quarter.
    Function{"FloatSin", R"(float FloatSin(float x) {
  vec2 turn = FloatTurn(abs(x));
  uint quarter = uint(turn.y);
  float size = (quarter & 1u) == 0u ? FloatSinNear(turn.x) : FloatCosNear(turn.x);
  return uintBitsToFloat(floatBitsToUint(size) ^ ((quarter & 2u) << 30) ^ (floatBitsToUint(x) & 0x80000000u));
}
)"},
    Function{"FloatCos", R"(float FloatCos(float x) {
  vec2 turn = FloatTurn(abs(x));
  uint quarter = uint(turn.y);
  float size = (quarter & 1u) == 0u ? FloatCosNear(turn.x) : FloatSinNear(turn.x);
  return uintBitsToFloat(floatBitsToUint(size) ^ (((quarter + 1u) & 2u) << 30));
}
)"},
    Function{"FloatTan", R"(float FloatTan(float x) {
  vec2 turn = FloatTurn(abs(x));
  float s = turn.x * turn.x;
  float near = turn.x + turn.x * s * (0.333331568 + s * (0.133387994 + s * (0.0534112807 + s * (0.0244301354 +
      s * (0.00311992232 + s * 0.00938540185)))));
  float size = (uint(turn.y) & 1u) == 0u ? near : -1.0 / near;
  return uintBitsToFloat(floatBitsToUint(size) ^ (floatBitsToUint(x) & 0x80000000u));
}
)"},
    // Of -pi/4 to pi/4; as in Moshier's Cephes.
    Function{"FloatSinNear", R"(float FloatSinNear(float x) {
  float s = x * x;
  return x + x * s * (-0.166666546 + s * (0.00833216087 + s * -0.000195152959));
}
)"},
    Function{"FloatCosNear", R"(float FloatCosNear(float x) {
  float s = x * x;
  return 1.0 - 0.5 * s + s * s * (0.0416666456 + s * (-0.00138873163 + s * 2.44331571e-05));
}
)"},
    // What is left of a number that is not negative without quarters of a turn, and how many of
    // these there are (of large ones by four). Up to 8191 of them are taken away in four parts,
    // whose multiples are exact; of more, those bits of 2/pi that count make a product of 96 bits,
    // of which whole turns are what goes beyond.
    Function{"FloatTurn", R"(vec2 FloatTurn(float x) {
  float quarters = roundEven(min(x, 12800.0) * 0.636619772);
  precise float left = x - quarters * 1.5703125;
  left = left - quarters * 0.000483512878;
  left = left - quarters * 3.13855708e-07;
  left = left - quarters * 6.07710063e-11;
  if (x < 12800.0) return vec2(left, quarters);
  if (isnan(x) || isinf(x)) return vec2(uintBitsToFloat(0x7fc00000u), 0.0);
  int first = max(int(floatBitsToUint(x) >> 23) - 120, 0), by = first & 31;
  uint m = (floatBitsToUint(x) & 0x007fffffu) | 0x00800000u;
  bool one = (first & 32) != 0, two = (first & 64) != 0, four = first >= 128;
  uvec4 at = two ? uvec4(0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u) : uvec4(0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u);
  uint behind = two ? 0x3c439041u : 0xf534ddc0u;
  at = one ? uvec4(at.yzw, behind) : at;
  at = four ? uvec4(0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu) : at;
  uint a = (at.x << by) | (at.y >> 1 >> (31 - by));
  uint b = (at.y << by) | (at.z >> 1 >> (31 - by));
  uint c = (at.z << by) | (at.w >> 1 >> (31 - by));
  uint low, of_b, of_c, unused;
  umulExtended(m, b, of_b, low);
  umulExtended(m, c, of_c, unused);
  low += of_c;
  uint high = m * a + of_b + (low < of_c ? 1u : 0u);
  uint quarter = (high + 0x20000000u) >> 30;
  int rest = int(high - (quarter << 30));
  bool negative = rest < 0;
  if (negative) {
    low = ~low + 1u;
    rest = ~rest + (low == 0u ? 1 : 0);
  }
  float size = (float(rest) * 9.31322575e-10 + float(low) * 2.16840434e-19) * 1.57079633;
  return vec2(negative ? -size : size, float(quarter));
}
)"},
    // Drivers' own is 0 of NaN.
    Function{"FloatAtan", R"(float FloatAtan(float x) {
  return isnan(x) ? x : atan(x);
}
)"},
    // Drivers' own are good for three digits.
    Function{"FloatAsin", R"(float FloatAsin(float x) {
  return abs(x) <= 1.0 ? atan(x, sqrt((1.0 - x) * (1.0 + x))) : uintBitsToFloat(0x7fc00000u);
}
)"},
    Function{"FloatAcos", R"(float FloatAcos(float x) {
  return abs(x) <= 1.0 ? atan(sqrt((1.0 - x) * (1.0 + x)), x) : uintBitsToFloat(0x7fc00000u);
}
)"},
    Function{"FloatAtanh", R"(float FloatAtanh(float x) {
  return 0.5 * (abs(x) < 0.5 ? FloatLog1p(x) - FloatLog1p(-x) : log((1.0 + x) / (1.0 - x)));
}
)"},
    // What rounding 1 + x loses is put back.
    Function{"FloatLog1p", R"(float FloatLog1p(float x) {
  precise float u = 1.0 + x;
  precise float lost = x - (u - 1.0);
  return isinf(u) || u <= 0.0 ? log(u) : FloatLog(u) + lost / u;
}
)"},
    // Near 1 drivers' own may be off by 2^-21 (Vulkan's table of precisions), beside which nothing
    // is left of it.
    Function{"FloatLog", R"(float FloatLog(float x) {
  if (abs(x - 1.0) > 0.25) return log(x);
  float s = (x - 1.0) / (x + 1.0), q = s * s;
  return s * (2.0 + q * (0.666666667 + q * (0.4 + q * (0.285714286 + q * 0.222222222))));
}
)"},
};

}  // namespace

std::string FunctionsFor(std::string_view body) {
  // Backwards through what calls: a function is wanted if the body or a wanted one calls it.
  std::string wanted;
  bool more = true;
  std::array<bool, kFunctions.size()> taken = {};
  while (more) {
    more = false;
    for (size_t i = 0; i < kFunctions.size(); ++i) {
      const std::string call = absl::StrCat(std::string(kFunctions[i].name), "(");
      if (taken[i] ||
          (!absl::StrContains(std::string(body), call) && !absl::StrContains(wanted, call)))
        continue;
      taken[i] = more = true;
      absl::StrAppend(&wanted, std::string(kFunctions[i].text));
    }
  }
  // What is called stands before what calls it: those are listed the other way round.
  std::string text;
  for (size_t i = kFunctions.size(); i-- > 0;) {
    if (taken[i]) absl::StrAppend(&text, std::string(kFunctions[i].text));
  }
  return text;
}

}  // namespace tessera::vulkan
