// Coefficients of polynomials over the reals: fractions of 128-bit integers, which never wrap.
#ifndef TESSERA_NESTS_RATIONAL_H_
#define TESSERA_NESTS_RATIONAL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::nests {

class Rational {
 public:
  Rational(int64_t whole = 0) : num_(whole) {}  // NOLINT: so that coefficients read as numbers
  // Exactly; none for what is not finite or needs more bits.
  static std::optional<Rational> Of(double value);

  // None: the result needs more bits.
  friend std::optional<Rational> Add(const Rational& a, const Rational& b);
  friend std::optional<Rational> Mul(const Rational& a, const Rational& b);
  Rational Negated() const;
  std::optional<Rational> Reciprocal() const;  // none of 0
  bool IsZero() const { return num_ == 0; }
  bool IsNegative() const { return num_ < 0; }
  // Words that tell it from others.
  void AppendTo(std::vector<int64_t>& key) const;
  Rational Floor() const;
  double ToDouble() const;  // the nearest, if both parts have at most 53 bits
  std::string ToString() const;
  std::string Fraction() const;  // exactly: `-1/3`
  friend bool operator==(const Rational&, const Rational&) = default;
  friend bool operator<(const Rational& a, const Rational& b);

 private:
  __extension__ using Wide = __int128;
  static Wide Divisor(Wide a, Wide b);
  static std::optional<Rational> Reduced(Wide num, Wide den);
  Wide num_ = 0, den_ = 1;  // lowest terms, den_ > 0
};

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_RATIONAL_H_
