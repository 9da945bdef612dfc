#include "nests/rational.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace tessera::nests {

// The greatest common one; not both are 0.
Rational::Wide Rational::Divisor(Wide a, Wide b) {
  if (a < 0) a = -a;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

std::optional<Rational> Rational::Reduced(Wide num, Wide den) {
  if (den < 0) {
    num = -num;
    den = -den;
  }
  const Wide common = Divisor(num, den);
  Rational result;
  result.num_ = num / common;
  result.den_ = den / common;
  return result;
}

std::optional<Rational> Rational::Of(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  Wide num = static_cast<int64_t>(std::ldexp(mantissa, 53));
  int shift = 53 - exponent;
  while (num != 0 && num % 2 == 0 && shift > 0) {
    num /= 2;
    --shift;
  }
  if (num == 0) return Rational(0);
  if (shift > 100 || shift < -60) return std::nullopt;
  return shift >= 0 ? Reduced(num, Wide{1} << shift) : Reduced(num * (Wide{1} << -shift), 1);
}

std::optional<Rational> Add(const Rational& a, const Rational& b) {
  // Over the least common denominator, so that sums of dyadic numbers stay narrow.
  const Rational::Wide common = Rational::Divisor(a.den_, b.den_);
  Rational::Wide left, right, num, den;
  if (__builtin_mul_overflow(a.num_, b.den_ / common, &left) ||
      __builtin_mul_overflow(b.num_, a.den_ / common, &right) ||
      __builtin_add_overflow(left, right, &num) ||
      __builtin_mul_overflow(a.den_ / common, b.den_, &den))
    return std::nullopt;
  return Rational::Reduced(num, den);
}

std::optional<Rational> Mul(const Rational& a, const Rational& b) {
  if (a.IsZero() || b.IsZero()) return Rational(0);
  const Rational::Wide across = Rational::Divisor(a.num_, b.den_);
  const Rational::Wide down = Rational::Divisor(b.num_, a.den_);
  Rational::Wide num, den;
  if (__builtin_mul_overflow(a.num_ / across, b.num_ / down, &num) ||
      __builtin_mul_overflow(a.den_ / down, b.den_ / across, &den))
    return std::nullopt;
  return Rational::Reduced(num, den);
}

Rational Rational::Floor() const {
  const Wide quotient = num_ / den_;
  Rational result;
  result.num_ = quotient * den_ > num_ ? quotient - 1 : quotient;
  return result;
}

Rational Rational::Negated() const {
  Rational result = *this;
  result.num_ = -num_;
  return result;
}

std::optional<Rational> Rational::Reciprocal() const {
  return num_ == 0 ? std::nullopt : Reduced(den_, num_);
}

void Rational::AppendTo(std::vector<int64_t>& key) const {
  for (const Wide word : {num_, den_}) {
    key.push_back(static_cast<int64_t>(word));
    key.push_back(static_cast<int64_t>(word >> 64));
  }
}

double Rational::ToDouble() const { return static_cast<double>(num_) / static_cast<double>(den_); }

std::string Rational::ToString() const { return absl::StrCat(ToDouble()); }

std::string Rational::Fraction() const {
  const auto digits = [](Wide value) {
    std::string text;
    const bool negative = value < 0;
    do {
      const auto digit = static_cast<int>(value % 10);
      text.insert(text.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
      value /= 10;
    } while (value != 0);
    return negative ? absl::StrCat("-", text) : text;
  };
  return absl::StrCat(digits(num_), "/", digits(den_));
}

bool operator<(const Rational& a, const Rational& b) {
  const auto difference = Add(a, b.Negated());
  return difference.has_value() ? difference->IsNegative()
                                : static_cast<double>(a.num_) / static_cast<double>(a.den_) <
                                      static_cast<double>(b.num_) / static_cast<double>(b.den_);
}

}  // namespace tessera::nests
