// Polynomials with integer coefficients over numbered unknowns.
#ifndef TESSERA_SOLVER_CERTIFICATE_POLYNOMIAL_H_
#define TESSERA_SOLVER_CERTIFICATE_POLYNOMIAL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::certificate {

using Wide = __int128;

// Unknowns in ascending order, each as often as it is a factor; none: 1.
using Monomial = std::vector<uint32_t>;

class Polynomial {
 public:
  Polynomial() = default;
  static Polynomial Number(Wide value);
  static Polynomial Unknown(uint32_t unknown);

  // By monomial; none is 0.
  const std::map<Monomial, Wide>& summands() const { return summands_; }
  std::optional<Wide> AsNumber() const;

  // Nothing: it would have too many summands, or too large coefficients.
  std::optional<Polynomial> Plus(const Polynomial& other, Wide factor = 1) const;
  std::optional<Polynomial> Times(const Polynomial& other) const;
  // Quotient and remainder, this == quotient*divisor + remainder; by a number its coefficients are
  // within [0, divisor). The divisor is not 0.
  std::optional<std::pair<Polynomial, Polynomial>> DividedBy(const Polynomial& divisor) const;

  friend bool operator==(const Polynomial&, const Polynomial&) = default;
  friend bool operator<(const Polynomial& a, const Polynomial& b) {
    return a.summands_ < b.summands_;
  }

 private:
  bool Add(const Monomial& monomial, Wide coefficient);  // false: too large

  std::map<Monomial, Wide> summands_;
};

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_POLYNOMIAL_H_
