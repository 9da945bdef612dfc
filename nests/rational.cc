#include "nests/rational.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace tessera::nests {

std::optional<Rational> Rational::Reduced(Wide num, Wide den) {
  if (den < 0) {
    num = -num;
    den = -den;
  }
  Wide a = num < 0 ? -num : num, b = den;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  Rational result;
  result.num_ = num / a;
  result.den_ = den / a;
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
  Rational::Wide left, right, num, den;
  if (__builtin_mul_overflow(a.num_, b.den_, &left) ||
      __builtin_mul_overflow(b.num_, a.den_, &right) || __builtin_add_overflow(left, right, &num) ||
      __builtin_mul_overflow(a.den_, b.den_, &den))
    return std::nullopt;
  return Rational::Reduced(num, den);
}

std::optional<Rational> Mul(const Rational& a, const Rational& b) {
  Rational::Wide num, den;
  if (__builtin_mul_overflow(a.num_, b.num_, &num) || __builtin_mul_overflow(a.den_, b.den_, &den))
    return std::nullopt;
  return Rational::Reduced(num, den);
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

std::string Rational::ToString() const {
  const double value = static_cast<double>(num_) / static_cast<double>(den_);
  return absl::StrCat(value);
}

bool operator<(const Rational& a, const Rational& b) {
  const auto difference = Add(a, b.Negated());
  return difference.has_value() ? difference->IsNegative()
                                : static_cast<double>(a.num_) / static_cast<double>(a.den_) <
                                      static_cast<double>(b.num_) / static_cast<double>(b.den_);
}

}  // namespace tessera::nests
