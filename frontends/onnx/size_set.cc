#include "frontends/onnx/size_set.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera::onnx_import {
namespace {

// The x in [0, m) with a * x == 1 (mod m), for coprime a and m.
int64_t Inverse(int64_t a, int64_t m) {
  int64_t r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 != 0) {
    const int64_t q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    t0 = std::exchange(t1, t0 - q * t1);
  }
  return t0 < 0 ? t0 + m : t0;
}

}  // namespace

SizeSet SizeSet::Tightened() const {
  SizeSet result = *this;
  result.low += ((residue - low) % modulus + modulus) % modulus;
  if (high >= 0) result.high -= ((high - residue) % modulus + modulus) % modulus;
  return result;
}

// d == ra (mod ma), d == rb (mod mb) has a solution if g = gcd(ma, mb) divides rb - ra, and then d
// == ra + ma * t (mod lcm) for t = (rb - ra) / g * (ma / g)^-1 (mod mb / g).
SizeSet Intersection(const SizeSet& a, const SizeSet& b) {
  SizeSet result{std::max(a.low, b.low), std::min(a.high, b.high)};
  const int64_t g = std::gcd(a.modulus, b.modulus);
  if ((b.residue - a.residue) % g != 0) return {1, 0};
  const int64_t step = b.modulus / g;
  const int64_t difference = (((b.residue - a.residue) / g) % step + step) % step;
  const int64_t t = difference * Inverse(a.modulus / g, step) % step;  // factors are below 2^31
  const int64_t first = a.residue + a.modulus * t;                     // below ma * mb / g
  const int64_t lcm = a.modulus * step;
  if (lcm > std::max<int64_t>(result.high,
                              1)) {  // of first, first + lcm, ... only the first can be within
    result.low = std::max(result.low, first);
    result.high = std::min(result.high, first);
    return result.low > result.high ? SizeSet{1, 0} : result;
  }
  result.modulus = lcm;
  result.residue = first;
  result = result.Tightened();
  return result.low > result.high ? SizeSet{1, 0} : result;
}

}  // namespace tessera::onnx_import
