#include "recheck/fraction.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "recheck/congruence.h"

namespace tessera::recheck {
namespace {

constexpr int64_t kTries = int64_t{1} << 24;

bool IsPowerOfTwo(int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

// Up to which n, but no further than `most`, all of them tried, floor and ceiling of the float
// n * factor, or n / factor, are those of n * p/q.
template <class Float>
int64_t Agreement(double factor, bool divides, int64_t p, int64_t q, int64_t most) {
  const Float with = static_cast<Float>(factor);
  for (int64_t n = 1; n <= most; ++n) {
    const Float product = divides ? static_cast<Float>(n) / with : static_cast<Float>(n) * with;
    const int64_t below = n * p / q, above = below + (n * p % q != 0 ? 1 : 0);
    if (static_cast<int64_t>(std::floor(product)) != below ||
        static_cast<int64_t>(std::ceil(product)) != above)
      return n - 1;
  }
  return most;
}

// The same by estimate, as far as the compiler goes: the float n * num/den, of `bits` bits, lies
// within n * (|num/den - p/q| + num/den * 2^-bits) of n * p/q, which is a whole number, or 1/q and
// more away from one. Where n is j * q the float must be j * p itself.
int64_t Estimate(int64_t num, int64_t den, int64_t p, int64_t q, int bits) {
  const __int128 off = __int128{num} * q - __int128{p} * den, away = off < 0 ? -off : off;
  const long double ratio = static_cast<long double>(num) / den;
  const long double reach = static_cast<long double>(away) / den + std::ldexp(ratio, -bits) * q;
  const auto most = static_cast<int64_t>(std::min<long double>(0.98L / reach, kTries));
  for (int64_t j = 1; j * q <= most; ++j) {
    const auto whole = static_cast<uint64_t>(j) * static_cast<uint64_t>(p);
    const int length = std::bit_width(whole);
    const int gap = off < 0 && IsPowerOfTwo(j * p) ? length : length + 1;
    const __int128 distance = (away * j) << (bits + 2), half = __int128{den} << gap;
    if (distance > half || (distance == half && length >= bits)) return j * q - 1;
  }
  return most;
}

template <class Float>
double Computed(const std::string& op, double a, double b) {
  const auto x = static_cast<Float>(a), y = static_cast<Float>(b);
  return op == "+" ? x + y : op == "-" ? x - y : op == "*" ? x * y : x / y;
}

struct Ratio {
  int64_t p = 0, q = 1, most = 0;
};

// The fraction with a small denominator that agrees longest by estimate, which is then tried.
Ratio RatioOf(double factor, bool divides, int bits) {
  static std::map<std::tuple<double, bool, int>, Ratio>& known =
      *new std::map<std::tuple<double, bool, int>, Ratio>;
  const auto [it, fresh] = known.try_emplace({factor, divides, bits});
  if (!fresh) return it->second;
  constexpr int64_t kLargest = int64_t{1} << 16;
  int exponent = 0;
  auto a = static_cast<int64_t>(std::ldexp(std::frexp(factor, &exponent), 53));
  int shift = 53 - exponent;
  for (; a % 2 == 0 && shift > 0; --shift) a /= 2;
  if (shift < 0 || shift > 62) return it->second;
  int64_t b = int64_t{1} << shift;
  if (divides) std::swap(a, b);
  const int64_t num = a, den = b;
  int64_t p = 1, q = 0, p_before = 0, q_before = 1;
  while (b != 0 && a / b <= kLargest) {
    const int64_t quotient = a / b, p_next = quotient * p + p_before,
                  q_next = quotient * q + q_before;
    if (q_next > kLargest) break;
    p_before = std::exchange(p, p_next);
    q_before = std::exchange(q, q_next);
    a = std::exchange(b, a % b);
    if (p == 0) continue;
    const int64_t most = Estimate(num, den, p, q, bits);
    if (most > it->second.most) it->second = {p, q, most};
  }
  Ratio& best = it->second;
  best.most = bits == 24 ? Agreement<float>(factor, divides, best.p, best.q, best.most)
                         : Agreement<double>(factor, divides, best.p, best.q, best.most);
  return best;
}

// In lower terms; false: it leaves 62 bits.
bool Reduce(__int128 scale, __int128 divisor, Fraction& v) {
  __int128 a = scale < 0 ? -scale : scale, b = divisor;
  while (b != 0) a = std::exchange(b, a % b);
  if (a > 1) {
    scale /= a;
    divisor /= a;
  }
  constexpr __int128 kMost = __int128{1} << 62;
  v.scale = static_cast<int64_t>(scale);
  v.divisor = static_cast<int64_t>(divisor);
  return scale < kMost && scale > -kMost && divisor < kMost;
}

}  // namespace

int SignificandOf(const std::string& dtype) {
  return dtype == "f64" ? 53 : dtype == "f32" ? 24 : dtype == "f16" ? 11 : dtype == "bf16" ? 8 : 0;
}

void Fractions::Need(Dim value, int64_t most) {
  needs_.push_back(terms_.Make(Operator::kAnd,
                               terms_.Make(Operator::kLe, value, terms_.Integer(most)),
                               terms_.Make(Operator::kGe, value, terms_.Integer(-most))));
}

Dim Fractions::Numerator(const Fraction& v) {
  return v.scale == 1 ? v.base : terms_.Make(Operator::kMultiply, v.base, terms_.Integer(v.scale));
}

Fraction Fractions::Folded(Fraction v) {
  constexpr int64_t kMost = int64_t{1} << 30;
  const std::optional<int64_t> number = terms_.Number(v.base);
  if (!number || std::abs(*number) > kMost || std::abs(v.scale) > kMost) return v;
  v.base = terms_.Integer(1);
  v.scale *= *number;
  return v;
}

Fraction Fractions::InLowerTerms(Fraction v) {
  if (v.divisor == 1 || v.under || terms_.Number(v.base)) return v;
  const Dim numerator = Numerator(v);
  const int64_t common = std::gcd(DivisorOf(terms_, numerator), v.divisor);
  if (common == 1) return v;
  const Dim by = terms_.Integer(common);
  needs_.push_back(
      terms_.Make(Operator::kEq, terms_.Make(Operator::kMod, numerator, by), terms_.Integer(0)));
  v.base = terms_.Make(Operator::kFloorDiv, numerator, by);
  v.scale = 1;
  v.divisor /= common;
  return v;
}

Fractions::Maybe Fractions::Nearest(Fraction v) {
  v = InLowerTerms(v);
  const int64_t limit = int64_t{1} << v.bits;
  v.rounded = !IsPowerOfTwo(v.divisor);
  // Smaller ones could fall below the normal numbers; of those with larger divisors nothing is
  // left.
  if (v.divisor > limit) return std::nullopt;
  Need(Numerator(v), v.rounded ? limit - v.divisor : limit);
  return v;
}

Fractions::Maybe Fractions::Number(double value, int bits) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  if (!std::isfinite(mantissa)) return std::nullopt;
  auto scale = static_cast<int64_t>(std::ldexp(mantissa, 53));
  int shift = 53 - exponent;
  for (; scale % 2 == 0 && scale != 0 && shift > 0; --shift) scale /= 2;
  if (scale == 0) shift = 0;
  if (shift > 60 || shift < -8) return std::nullopt;
  if (shift < 0) scale *= int64_t{1} << -shift;
  return Fraction{terms_.Integer(1), scale, shift > 0 ? int64_t{1} << shift : 1, bits, false};
}

Fractions::Maybe Fractions::Convert(const Fraction& v, const std::string& dtype) {
  const int bits = SignificandOf(dtype);
  if (bits == 0) {
    if (dtype[0] != 'i' && dtype[0] != 'u') return std::nullopt;
    Maybe whole = Whole("trunc", v);
    if (whole) whole->bits = 0;
    return whole;
  }
  if (v.bits == bits) return v;
  if (v.rounded || v.restored) return std::nullopt;
  Fraction converted = v;
  converted.bits = bits;
  return Nearest(converted);
}

// A size times, or by, a constant of many bits: the float is not the fraction, but has its floor.
Fractions::Maybe Fractions::Multiple(const Fraction& whole, const Fraction& factor, bool divides) {
  const std::optional<int64_t> one = terms_.Number(factor.base);
  const int64_t times = divides ? factor.divisor : std::abs(factor.scale);
  if (whole.bits < 24 || whole.divisor != 1 || terms_.Number(whole.base) || one != 1 ||
      !IsPowerOfTwo(factor.divisor) || times <= (int64_t{1} << (whole.bits - 15)))
    return std::nullopt;
  const double value =
      static_cast<double>(std::abs(factor.scale)) / static_cast<double>(factor.divisor);
  const Ratio ratio = RatioOf(value, divides, whole.bits);
  if (ratio.most < 1024) return std::nullopt;
  Need(Numerator(whole), ratio.most);
  Fraction result = whole;
  const __int128 p = factor.scale < 0 ? -ratio.p : ratio.p;
  if (!Reduce(whole.scale * p, ratio.q, result)) return std::nullopt;
  result = InLowerTerms(result);
  result.rounded = result.divisor != 1;
  return result;
}

std::optional<std::pair<Dim, Dim>> Fractions::Sides(const Fraction& a, const Fraction& b) {
  if (a.under || b.under || a.restored || b.restored || a.rounded || b.rounded || a.bits == 0 ||
      a.bits != b.bits || b.scale < 1)
    return std::nullopt;
  Fraction left = a, right = b;
  const int64_t divisor = std::lcm(a.divisor, b.divisor);
  if (divisor > (int64_t{1} << 30) || std::abs(a.scale) > (int64_t{1} << 30) ||
      b.scale > (int64_t{1} << 30))
    return std::nullopt;
  left.scale *= divisor / a.divisor;
  right.scale *= divisor / b.divisor;
  return std::pair(Numerator(left), Numerator(right));
}

Fractions::Maybe Fractions::Divide(const Fraction& a, const Fraction& b,
                                   const std::optional<std::pair<int64_t, int64_t>>& quotient) {
  const std::optional<std::pair<Dim, Dim>> sides = Sides(a, b);
  if (!sides) return std::nullopt;
  const auto times = [&](Dim v, int64_t n) {
    return terms_.Make(Operator::kMultiply, v, terms_.Integer(n));
  };
  needs_.push_back(terms_.Make(Operator::kGe, sides->second, terms_.Integer(1)));
  if (quotient) {
    const auto [parts, ratio] = *quotient;
    needs_.push_back(
        terms_.Make(Operator::kEq, times(sides->first, parts), times(sides->second, ratio)));
    return Nearest(Fraction{terms_.Integer(1), ratio, parts, a.bits});
  }
  Fraction result = a;
  if (!Reduce(static_cast<__int128>(a.scale) * b.divisor,
              static_cast<__int128>(a.divisor) * b.scale, result))
    return std::nullopt;
  result.under = b.base;
  result.rounded = true;
  // As for all that is rounded: numerator and denominator together.
  const Dim sum = terms_.Make(Operator::kAdd, Numerator(result),
                              result.divisor == 1 ? b.base
                                                  : terms_.Make(Operator::kMultiply, b.base,
                                                                terms_.Integer(result.divisor)));
  needs_.push_back(terms_.Make(Operator::kLe, sum, terms_.Integer(int64_t{1} << a.bits)));
  return result;
}

Fractions::Maybe Fractions::Restored(const Fraction& quotient, const Fraction& factor) {
  if (quotient.restored || factor.restored || factor.rounded || factor.divisor != 1 ||
      quotient.bits != factor.bits || factor.base != quotient.under)
    return std::nullopt;
  Fraction result = quotient;
  if (!Reduce(static_cast<__int128>(quotient.scale) * factor.scale, quotient.divisor, result) ||
      result.divisor != 1)
    return std::nullopt;
  result.under.reset();
  result.rounded = false;
  result.restored = true;
  Need(Numerator(result), int64_t{1} << (result.bits - 3));
  return result;
}

Fractions::Maybe Fractions::Root(const Fraction& v, Dim root) {
  const auto whole_root = [](int64_t n) {
    const auto r = static_cast<int64_t>(std::llround(std::sqrt(static_cast<double>(n))));
    return r * r == n ? std::optional(r) : std::nullopt;
  };
  if (v.bits == 0 || v.rounded || v.restored || v.under || v.scale < 0) return std::nullopt;
  const auto scale = whole_root(v.scale), divisor = whole_root(v.divisor);
  if (!scale || !divisor) return std::nullopt;
  needs_.push_back(terms_.Make(Operator::kGe, root, terms_.Integer(0)));
  needs_.push_back(
      terms_.Make(Operator::kEq, terms_.Make(Operator::kMultiply, root, root), v.base));
  return Nearest(Fraction{root, *scale, *divisor, v.bits});
}

Fractions::Maybe Fractions::Apply(const std::string& op, const Fraction& left,
                                  const Fraction& right) {
  const Fraction a = Folded(left), b = Folded(right);
  if (op == "*" && a.under.has_value() != b.under.has_value())
    return a.under ? Restored(a, b) : Restored(b, a);
  if (a.under || b.under || a.restored || b.restored) return std::nullopt;
  if (a.rounded || b.rounded || a.bits == 0 || a.bits != b.bits) return std::nullopt;
  const std::optional<int64_t> x = terms_.Number(a.base), y = terms_.Number(b.base);
  if (x && y && (a.bits == 24 || a.bits == 53)) {
    // Of numbers it is what the machine says.
    const auto value = [](int64_t base, const Fraction& v) {
      return static_cast<double>(base) * static_cast<double>(v.scale) /
             static_cast<double>(v.divisor);
    };
    const double p = value(*x, a), q = value(*y, b);
    const double number = a.bits == 53 ? Computed<double>(op, p, q) : Computed<float>(op, p, q);
    return Number(number, a.bits);
  }
  Fraction result = a;
  if (op == "*") {
    if (Maybe multiple = Multiple(a, b, false)) return multiple;
    if (Maybe multiple = Multiple(b, a, false)) return multiple;
    if (y == 1) {
      result.base = a.base;
    } else if (x == 1) {
      result.base = b.base;
    } else {
      result.base = terms_.Make(Operator::kMultiply, a.base, b.base);
    }
    if (!Reduce(static_cast<__int128>(a.scale) * b.scale,
                static_cast<__int128>(a.divisor) * b.divisor, result))
      return std::nullopt;
    return Nearest(result);
  }
  if (op == "/") {
    if (y != 1 || b.scale == 0) return std::nullopt;
    if (Maybe multiple = Multiple(a, b, true)) return multiple;
    const int64_t sign = b.scale < 0 ? -1 : 1;
    if (!Reduce(static_cast<__int128>(a.scale) * b.divisor * sign,
                static_cast<__int128>(a.divisor) * b.scale * sign, result))
      return std::nullopt;
    return Nearest(result);
  }
  const int64_t divisor = std::lcm(a.divisor, b.divisor);
  if (divisor > (int64_t{1} << 30)) return std::nullopt;
  const auto part = [&](const Fraction& v) {
    const Fraction over{v.base, v.scale * (divisor / v.divisor), divisor, v.bits, false};
    return Numerator(over);
  };
  result.base = terms_.Make(op == "+" ? Operator::kAdd : Operator::kSubtract, part(a), part(b));
  result.scale = 1;
  result.divisor = divisor;
  return op == "+" || op == "-" ? Nearest(result) : std::nullopt;
}

Fractions::Maybe Fractions::Whole(const std::string& function, const Fraction& v) {
  Fraction result = v;
  if (v.under || (v.restored && function != "round")) return std::nullopt;
  result.restored = false;
  if (v.divisor == 1) return result;
  const Dim p = Numerator(v), q = terms_.Integer(v.divisor);
  result.scale = result.divisor = 1;
  result.rounded = false;
  if (function == "round") {
    if (v.rounded) return std::nullopt;  // halves would have to keep their distance as well
    const Dim two = terms_.Integer(2), twice = terms_.Integer(2 * v.divisor);
    const Dim shifted = terms_.Make(Operator::kAdd, terms_.Make(Operator::kMultiply, two, p), q);
    const Dim up = terms_.Make(Operator::kFloorDiv, shifted, twice);
    const Dim tie =
        terms_.Make(Operator::kEq, terms_.Make(Operator::kMod, shifted, twice), terms_.Integer(0));
    const Dim odd = terms_.Make(Operator::kMod, up, two);
    result.base = terms_.Make(Operator::kSubtract, up,
                              terms_.Make(Operator::kIte, tie, odd, terms_.Integer(0)));
    return result;
  }
  result.base = terms_.Make(function == "floor"  ? Operator::kFloorDiv
                            : function == "ceil" ? Operator::kCeilDiv
                                                 : Operator::kTruncDiv,
                            p, q);
  return result;
}

Fractions::Maybe Fractions::Extreme(const std::string& function, const Fraction& a,
                                    const Fraction& b) {
  const int64_t divisor = std::lcm(a.divisor, b.divisor);
  if (a.bits != b.bits || divisor > (int64_t{1} << 30) || a.under || b.under || a.restored ||
      b.restored)
    return std::nullopt;
  const auto part = [&](const Fraction& v) {
    return Numerator({v.base, v.scale * (divisor / v.divisor), divisor, v.bits, false});
  };
  Fraction result = a;
  result.base = terms_.Make(function == "min" ? Operator::kMin : Operator::kMax, part(a), part(b));
  result.scale = 1;
  result.divisor = divisor;
  result.rounded = a.rounded || b.rounded;
  return result;
}

std::optional<Dim> Fractions::Compare(Operator op, const Fraction& a, const Fraction& b) {
  const int64_t divisor = std::lcm(a.divisor, b.divisor);
  // What is rounded may be as large as what it is less than.
  if (divisor > (int64_t{1} << 30) || a.rounded || b.rounded || a.under || b.under || a.restored ||
      b.restored)
    return std::nullopt;
  const auto part = [&](const Fraction& v) {
    return Numerator({v.base, v.scale * (divisor / v.divisor), divisor, v.bits, false});
  };
  return terms_.Make(op, part(a), part(b));
}

std::optional<Dim> Fractions::Size(const Fraction& v) {
  if (v.divisor != 1 || v.under || v.restored) return std::nullopt;
  return Numerator(v);
}

}  // namespace tessera::recheck
