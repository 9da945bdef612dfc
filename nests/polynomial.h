// Polynomials as maps from monomials to coefficients. Internal to this package.
#ifndef TESSERA_NESTS_POLYNOMIAL_H_
#define TESSERA_NESTS_POLYNOMIAL_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "nests/rational.h"
#include "nests/scalar.h"

namespace tessera::nests::internal {

inline constexpr size_t kMostTerms = 4096;  // of one polynomial

template <class Monomial>
Monomial Product(const Monomial& a, const Monomial& b) {
  Monomial product;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].first < b[j].first)) {
      product.push_back(a[i++]);
    } else if (i == a.size() || b[j].first < a[i].first) {
      product.push_back(b[j++]);
    } else {
      const int exponent = a[i].second + b[j].second;
      if (exponent != 0) product.emplace_back(a[i].first, exponent);
      ++i;
      ++j;
    }
  }
  return product;
}

inline std::optional<uint64_t> Add(uint64_t a, uint64_t b) { return a + b; }
inline std::optional<uint64_t> Mul(uint64_t a, uint64_t b) { return a * b; }
inline bool IsZero(uint64_t v) { return v == 0; }
inline bool IsZero(const Rational& v) { return v.IsZero(); }

template <class Poly, class Monomial, class C>
bool Accumulate(Poly& poly, const Monomial& monomial, const C& coefficient) {
  auto [found, fresh] = poly.try_emplace(monomial, coefficient);
  if (!fresh) {
    const auto sum = Add(found->second, coefficient);
    if (!sum.has_value()) return false;
    found->second = *sum;
  }
  if (IsZero(found->second)) poly.erase(found);
  return poly.size() <= kMostTerms;
}

// None: too large, or a coefficient needs too many bits.
template <class Poly>
std::optional<Poly> Combined(Function function, const Poly& a, const Poly& b) {
  Poly result;
  if (function == Function::kMul) {
    for (const auto& [m, c] : a) {
      for (const auto& [n, d] : b) {
        const auto product = Mul(c, d);
        if (!product.has_value() || !Accumulate(result, Product(m, n), *product))
          return std::nullopt;
      }
    }
    return result;
  }
  result = a;
  for (const auto& [monomial, coefficient] : b) {
    typename Poly::mapped_type signed_coefficient = coefficient;
    if (function == Function::kSub) {
      const auto negated = Mul(coefficient, typename Poly::mapped_type(-1));
      if (!negated.has_value()) return std::nullopt;
      signed_coefficient = *negated;
    }
    if (!Accumulate(result, monomial, signed_coefficient)) return std::nullopt;
  }
  return result;
}

}  // namespace tessera::nests::internal

#endif  // TESSERA_NESTS_POLYNOMIAL_H_
