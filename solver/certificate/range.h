// Intervals of integers, with ends that may be infinite.
#ifndef TESSERA_SOLVER_CERTIFICATE_RANGE_H_
#define TESSERA_SOLVER_CERTIFICATE_RANGE_H_

#include <algorithm>

#include "solver/certificate/polynomial.h"

namespace tessera::certificate {

inline constexpr Wide kInfinity = Wide{1} << 120;

inline Wide Clamped(Wide value) { return std::clamp(value, -kInfinity, kInfinity); }

struct Range {
  Wide low = -kInfinity, high = kInfinity;
};

inline Wide Product(Wide a, Wide b) {
  Wide product = 0;
  if (a == 0 || b == 0) return 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? kInfinity : -kInfinity;
  return Clamped(product);
}
inline Range operator*(const Range& a, const Range& b) {
  const Wide ends[] = {Product(a.low, b.low), Product(a.low, b.high), Product(a.high, b.low),
                       Product(a.high, b.high)};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}
// An end that is infinite stays so.
inline Wide Sum(Wide a, Wide b, Wide infinity) {
  return a == infinity || b == infinity ? infinity : Clamped(a + b);
}
inline Range operator+(const Range& a, const Range& b) {
  return {Sum(a.low, b.low, -kInfinity), Sum(a.high, b.high, kInfinity)};
}
inline Wide Floor(Wide a, Wide b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }
// floor(a/b), b >= 1.
inline Range FloorOf(const Range& a, const Range& b) {
  const Wide least = a.low >= 0 ? Floor(a.low, b.high) : Floor(a.low, b.low);
  const Wide most = a.high >= 0 ? Floor(a.high, b.low) : Floor(a.high, b.high);
  return {a.low == -kInfinity ? -kInfinity : least, a.high == kInfinity ? kInfinity : most};
}

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_RANGE_H_
