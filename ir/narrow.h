// The element types of fewer than 16 bits that C++ has no type for, one element in the low bits of
// a byte: integers of 2 and 4 bits (two's complement), and the small floats of ONNX's page on
// float8 (OCP 8-bit floating point, and OCP microscaling formats for f8e8m0 and f4e2m1).
//
// Widening is exact. Narrowing an integer wraps. Narrowing a float rounds to nearest, ties to even;
// what is too large becomes the format's infinity, without one its NaN, without that the largest
// value: operators that saturate clamp before they store.
#ifndef TESSERA_IR_NARROW_H_
#define TESSERA_IR_NARROW_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tessera::ir {

template <int kBits, bool kSigned>
struct NarrowInt {
  uint8_t bits;
  static NarrowInt Of(int64_t v) {
    return {static_cast<uint8_t>(static_cast<uint64_t>(v) & ((1u << kBits) - 1))};
  }
  int64_t Wide() const {
    const int64_t low = bits & ((1 << kBits) - 1);
    return kSigned && (low >> (kBits - 1)) != 0 ? low - (1 << kBits) : low;
  }
};
using I4 = NarrowInt<4, true>;
using U4 = NarrowInt<4, false>;
using I2 = NarrowInt<2, true>;
using U2 = NarrowInt<2, false>;

// What the patterns with the largest exponent mean.
enum class Specials : uint8_t {
  kIeee,  // infinities and NaNs, as IEEE 754 has them
  kFn,    // finite but for all ones, which is NaN
  kFnuz,  // finite; NaN is the pattern of -0, which there is not
  kNone   // all finite
};

template <int kExponentBits, int kMantissaBits, int kBias, Specials kSpecials>
struct NarrowFloat {
  uint8_t bits;

  static constexpr int kSign = 1 << (kExponentBits + kMantissaBits);
  static constexpr int kMost = kSign - 1;  // the magnitude with all ones
  static constexpr int kLargest = kSpecials == Specials::kIeee ? kMost - (1 << kMantissaBits)
                                  : kSpecials == Specials::kFn ? kMost - 1
                                                               : kMost;

  static float Magnitude(int pattern) {
    const int exponent = pattern >> kMantissaBits;
    const int mantissa = pattern & ((1 << kMantissaBits) - 1);
    return exponent == 0 ? std::ldexp(static_cast<float>(mantissa), 1 - kBias - kMantissaBits)
                         : std::ldexp(static_cast<float>(mantissa + (1 << kMantissaBits)),
                                      exponent - kBias - kMantissaBits);
  }
  float Wide() const {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const int pattern = bits & kMost;
    const bool negative = (bits & kSign) != 0;
    if (kSpecials == Specials::kFnuz && negative && pattern == 0) return kNan;
    if (kSpecials != Specials::kFnuz && pattern > kLargest) {
      const bool infinite = kSpecials == Specials::kIeee && pattern == kLargest + 1;
      if (!infinite) return kNan;
      return negative ? -std::numeric_limits<float>::infinity()
                      : std::numeric_limits<float>::infinity();
    }
    return negative ? -Magnitude(pattern) : Magnitude(pattern);
  }
  static NarrowFloat Of(float v) {
    const int sign = std::signbit(v) ? kSign : 0;
    if (v != v) return Nan(sign);
    const float magnitude = std::fabs(v);
    if (std::isinf(magnitude)) return Overflow(sign);
    // The grid's step at this magnitude; what is below the least normal has its step.
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    const int step = std::max(exponent - 1, 1 - kBias) - kMantissaBits;
    const float units = std::nearbyint(std::ldexp(magnitude, -step));  // to even, the mode of C++
    const float rounded = std::ldexp(units, step);
    if (rounded > Magnitude(kLargest)) return Overflow(sign);
    return Signed(sign, PatternOf(rounded));
  }

 private:
  static int PatternOf(float exact) {
    if (exact < std::ldexp(1.0f, 1 - kBias)) {
      return static_cast<int>(std::ldexp(exact, kBias - 1 + kMantissaBits));
    }
    int exponent = 0;
    const float fraction = std::frexp(exact, &exponent);  // in [0.5, 1)
    const int mantissa = static_cast<int>(std::ldexp(fraction, kMantissaBits + 1));
    return ((exponent - 1 + kBias - 1) << kMantissaBits) + mantissa;
  }
  static NarrowFloat Signed(int sign, int pattern) {
    if (kSpecials == Specials::kFnuz && pattern == 0) sign = 0;
    return {static_cast<uint8_t>(sign | pattern)};
  }
  static NarrowFloat Nan(int sign) {
    if (kSpecials == Specials::kFnuz) return {static_cast<uint8_t>(kSign)};
    if (kSpecials == Specials::kNone) return {static_cast<uint8_t>(sign | kLargest)};
    // Of IEEE's NaNs the quiet one.
    const int pattern =
        kSpecials == Specials::kFn ? kMost : (kLargest + 1) | 1 << (kMantissaBits - 1);
    return {static_cast<uint8_t>(sign | pattern)};
  }
  static NarrowFloat Overflow(int sign) {
    if (kSpecials == Specials::kIeee) return {static_cast<uint8_t>(sign | (kLargest + 1))};
    return Nan(sign);
  }
};
using F8E4M3FN = NarrowFloat<4, 3, 7, Specials::kFn>;
using F8E4M3FNUZ = NarrowFloat<4, 3, 8, Specials::kFnuz>;
using F8E5M2 = NarrowFloat<5, 2, 15, Specials::kIeee>;
using F8E5M2FNUZ = NarrowFloat<5, 2, 16, Specials::kFnuz>;
using F4E2M1 = NarrowFloat<2, 1, 1, Specials::kNone>;

// 2^(bits - 127), all ones is NaN: a scale, which has neither sign nor zero. Narrowing takes the
// nearest power of two, the upper one between two; zero becomes the least, what is negative NaN.
struct F8E8M0 {
  uint8_t bits;
  float Wide() const {
    return bits == 0xff ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, bits - 127);
  }
  static F8E8M0 Of(float v) {
    if (v != v || v < 0 || std::isinf(v)) return {0xff};
    if (v == 0) return {0};
    int exponent = 0;
    const float fraction = std::frexp(v, &exponent);  // in [0.5, 1)
    const int power = exponent - 1 + (fraction >= 0.75f ? 1 : 0);
    if (power > 127) return {0xff};
    return {static_cast<uint8_t>(power < -127 ? 0 : power + 127)};
  }
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_NARROW_H_
