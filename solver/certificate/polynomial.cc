#include "solver/certificate/polynomial.h"

#include <algorithm>
#include <iterator>

namespace tessera::certificate {
namespace {

constexpr size_t kMostSummands = 200;
constexpr size_t kMostFactors = 32;
constexpr int kMostSteps = 1000;          // of a division
constexpr Wide kLargest = Wide{1} << 60;  // so that products are within 128 bits

Wide Floor(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

// By degree, then by unknowns: compatible with products.
bool Precedes(const Monomial& a, const Monomial& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

std::optional<Monomial> Quotient(const Monomial& a, const Monomial& b) {
  if (!std::includes(a.begin(), a.end(), b.begin(), b.end())) return std::nullopt;
  Monomial result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

}  // namespace

Polynomial Polynomial::Number(Wide value) {
  Polynomial result;
  if (value != 0) result.summands_[{}] = value;
  return result;
}

Polynomial Polynomial::Unknown(uint32_t unknown) {
  Polynomial result;
  result.summands_[{unknown}] = 1;
  return result;
}

std::optional<Wide> Polynomial::AsNumber() const {
  if (summands_.empty()) return 0;
  return summands_.size() == 1 && summands_.begin()->first.empty()
             ? std::optional(summands_.begin()->second)
             : std::nullopt;
}

bool Polynomial::Add(const Monomial& monomial, Wide coefficient) {
  Wide& sum = summands_[monomial];
  sum += coefficient;
  if (sum > kLargest || sum < -kLargest) return false;
  if (sum == 0) summands_.erase(monomial);
  return summands_.size() <= kMostSummands && monomial.size() <= kMostFactors;
}

std::optional<Polynomial> Polynomial::Plus(const Polynomial& other, Wide factor) const {
  if (factor > kLargest || factor < -kLargest) return std::nullopt;
  Polynomial result = *this;
  for (const auto& [monomial, coefficient] : other.summands_) {
    if (!result.Add(monomial, coefficient * factor)) return std::nullopt;
  }
  return result;
}

std::optional<Polynomial> Polynomial::Times(const Polynomial& other) const {
  Polynomial result;
  for (const auto& [a, x] : summands_) {
    for (const auto& [b, y] : other.summands_) {
      Monomial product;
      std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(product));
      if (!result.Add(product, x * y)) return std::nullopt;
    }
  }
  return result;
}

std::optional<std::pair<Polynomial, Polynomial>> Polynomial::DividedBy(
    const Polynomial& divisor) const {
  Polynomial quotient, remainder;
  if (const std::optional<Wide> number = divisor.AsNumber()) {
    for (const auto& [monomial, coefficient] : summands_) {
      const Wide q = Floor(coefficient, *number);
      if (!quotient.Add(monomial, q) || !remainder.Add(monomial, coefficient - q * *number))
        return std::nullopt;
    }
    return std::pair(quotient, remainder);
  }
  const auto& leading =
      *std::max_element(divisor.summands_.begin(), divisor.summands_.end(),
                        [](const auto& a, const auto& b) { return Precedes(a.first, b.first); });
  // Each step takes away the greatest monomial of what is left.
  Polynomial rest = *this;
  for (int step = 0; !rest.summands_.empty(); ++step) {
    if (step == kMostSteps) return std::nullopt;
    const auto greatest =
        *std::max_element(rest.summands_.begin(), rest.summands_.end(),
                          [](const auto& a, const auto& b) { return Precedes(a.first, b.first); });
    const std::optional<Monomial> monomial = Quotient(greatest.first, leading.first);
    Polynomial taken;
    if (monomial && greatest.second % leading.second == 0) {
      Polynomial factor;
      factor.summands_[*monomial] = greatest.second / leading.second;
      if (!quotient.Add(*monomial, greatest.second / leading.second)) return std::nullopt;
      const std::optional<Polynomial> product = divisor.Times(factor);
      if (!product) return std::nullopt;
      taken = *product;
    } else {
      taken.summands_[greatest.first] = greatest.second;
      if (!remainder.Add(greatest.first, greatest.second)) return std::nullopt;
    }
    const std::optional<Polynomial> less = rest.Plus(taken, -1);
    if (!less) return std::nullopt;
    rest = *less;
  }
  return std::pair(quotient, remainder);
}

}  // namespace tessera::certificate
