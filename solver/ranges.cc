#include "solver/ranges.h"

#include <algorithm>

#include "solver/poly.h"

namespace tessera::solver {
namespace {

using Wide = __int128;
constexpr int64_t kNegInf = Range::kNegInf;
constexpr int64_t kPosInf = Range::kPosInf;

int64_t ClampLow(Wide v) {
  if (v <= kNegInf) return kNegInf;
  return v >= kPosInf ? kPosInf - 1 : static_cast<int64_t>(v);
}
int64_t ClampHigh(Wide v) {
  if (v >= kPosInf) return kPosInf;
  return v <= kNegInf ? kNegInf + 1 : static_cast<int64_t>(v);
}

// Bounds as extended numbers: infinities times 0 are 0, since the value itself is finite.
struct Extended {
  int infinite = 0;  // -1, 0, 1
  Wide value = 0;
};
Extended Extend(int64_t v) {
  if (v == kNegInf) return {-1, 0};
  if (v == kPosInf) return {1, 0};
  return {0, v};
}
Extended Times(Extended a, Extended b) {
  const int sign_a = a.infinite != 0 ? a.infinite : (a.value > 0) - (a.value < 0);
  const int sign_b = b.infinite != 0 ? b.infinite : (b.value > 0) - (b.value < 0);
  if (sign_a == 0 || sign_b == 0) return {0, 0};
  if (a.infinite != 0 || b.infinite != 0) return {sign_a * sign_b, 0};
  return {0, a.value * b.value};
}
bool Less(Extended a, Extended b) {
  if (a.infinite != b.infinite) return a.infinite < b.infinite;
  return a.infinite == 0 && a.value < b.value;
}
int64_t LowOf(Extended a) {
  return a.infinite < 0 ? kNegInf : a.infinite > 0 ? kPosInf - 1 : ClampLow(a.value);
}
int64_t HighOf(Extended a) {
  return a.infinite > 0 ? kPosInf : a.infinite < 0 ? kNegInf + 1 : ClampHigh(a.value);
}

int64_t FloorBound(int64_t v, int64_t divisor) {
  if (v == kNegInf || v == kPosInf) return v;
  return internal::FloorQuotient(v, divisor);
}

}  // namespace

int64_t AddLow(int64_t a, int64_t b) {
  if (a == kNegInf || b == kNegInf) return kNegInf;
  return ClampLow(Wide{a} + b);
}
int64_t AddHigh(int64_t a, int64_t b) {
  if (a == kPosInf || b == kPosInf) return kPosInf;
  return ClampHigh(Wide{a} + b);
}
Range AddRanges(Range a, Range b) { return {AddLow(a.lo, b.lo), AddHigh(a.hi, b.hi)}; }

Range MultiplyRanges(Range a, Range b) {
  const Extended products[] = {Times(Extend(a.lo), Extend(b.lo)), Times(Extend(a.lo), Extend(b.hi)),
                               Times(Extend(a.hi), Extend(b.lo)),
                               Times(Extend(a.hi), Extend(b.hi))};
  Extended low = products[0];
  Extended high = products[0];
  for (const Extended& p : products) {
    if (Less(p, low)) low = p;
    if (Less(high, p)) high = p;
  }
  return {LowOf(low), HighOf(high)};
}

Range ScaleRange(Range a, int64_t factor) {
  if (factor == 1) return a;
  const Extended f{0, factor};
  const Extended x = Times(Extend(a.lo), f);
  const Extended y = Times(Extend(a.hi), f);
  return factor >= 0 ? Range{LowOf(x), HighOf(y)} : Range{LowOf(y), HighOf(x)};
}

Range RangeOfFloor(Range n, Range d) {
  d.lo = std::max<int64_t>(d.lo, 1);  // where it is defined
  d.hi = std::max(d.hi, d.lo);
  Range result;
  if (n.lo >= 0) {
    result.lo = d.hi == kPosInf ? 0 : FloorBound(n.lo, d.hi);
  } else {
    result.lo = FloorBound(n.lo, d.lo);
  }
  if (n.hi >= 0) {
    result.hi = FloorBound(n.hi, d.lo);
  } else {
    result.hi = d.hi == kPosInf ? -1 : FloorBound(n.hi, d.hi);
  }
  return result;
}

}  // namespace tessera::solver
