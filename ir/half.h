// The 16-bit float formats as bit patterns: IEEE 754 binary16, and bfloat16 (the upper half of a
// binary32). Widening is exact; narrowing rounds to nearest, ties to even; NaN stays NaN.
#ifndef TESSERA_IR_HALF_H_
#define TESSERA_IR_HALF_H_

#include <bit>
#include <cstdint>

namespace tessera::ir {

struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

inline float ToFloat(BF16 v) { return std::bit_cast<float>(static_cast<uint32_t>(v.bits) << 16); }

inline float ToFloat(F16 v) {
  const uint32_t sign = static_cast<uint32_t>(v.bits & 0x8000u) << 16;
  const uint32_t exponent = (v.bits >> 10) & 0x1fu;
  const uint32_t mantissa = v.bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
  if (exponent == 0) {
    // A multiple of 2^-24: exact in binary32.
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

inline BF16 ToBF16(float v) {
  const uint32_t bits = std::bit_cast<uint32_t>(v);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<uint16_t>(bits >> 16 | 0x40u)};
  return {static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}

inline F16 ToF16(float v) {
  const uint32_t bits = std::bit_cast<uint32_t>(v);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {static_cast<uint16_t>(sign | 0x7e00u)};
  if (magnitude >= 0x477ff000u) return {static_cast<uint16_t>(sign | 0x7c00u)};  // >= 65520
  if (magnitude < 0x38800000u) {
    // Below 2^-14: adding 0.5 leaves multiples of 2^-24 in the mantissa, rounded by the addition.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return {static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u))};
  }
  const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23);
  return {static_cast<uint16_t>(sign | rounded >> 13)};
}

// `v` rounded to odd. Rounding the result to a format at least two bits narrower than binary32
// rounds `v` itself, without the error of rounding to nearest twice.
inline float RoundToOdd(long double v) {
  const float nearest = static_cast<float>(v);
  if (static_cast<long double>(nearest) == v || nearest != nearest) return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  const bool away =
      v < 0 ? static_cast<long double>(nearest) < v : static_cast<long double>(nearest) > v;
  if (away) --bits;
  return std::bit_cast<float>(bits | 1u);
}

}  // namespace tessera::ir

#endif  // TESSERA_IR_HALF_H_
