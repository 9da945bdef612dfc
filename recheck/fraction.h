// Sizes on their way through floats, as the fractions they would be without rounding, and for which
// sizes that is what floats yield.
#ifndef TESSERA_RECHECK_FRACTION_H_
#define TESSERA_RECHECK_FRACTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recheck/terms.h"

namespace tessera::recheck {

// base * scale / (divisor * under); divisor >= 1, under >= 1.
struct Fraction {
  Dim base = 0;
  int64_t scale = 1, divisor = 1;
  int bits = 0;          // of the significand; 0: an integer
  bool rounded = false;  // the float nearest to that, of which floor and ceiling are the same
  std::optional<Dim> under = std::nullopt;  // a size that divides
  // A whole number that a quotient of sizes was multiplied to; the float lies within 1/2 of it, and
  // maybe below.
  bool restored = false;
};

// Bits of the significand of a float type, the leading one included; 0: it is none.
int SignificandOf(const std::string& dtype);

// What is not followed is nothing: what is rounded twice, infinities, most of what is made of
// divisors that are sizes.
class Fractions {
 public:
  // Propositions under which results are what floats yield go to `needs`.
  Fractions(Terms& terms, std::vector<Dim>& needs) : terms_(terms), needs_(needs) {}

  using Maybe = std::optional<Fraction>;
  Maybe Number(double value, int bits);
  Maybe Integer(Dim value) const { return Fraction{value, 1, 1, 0, false}; }
  Maybe Convert(const Fraction& v, const std::string& dtype);
  // `+`, `-`, `*`, `/` of floats of one type.
  Maybe Apply(const std::string& op, const Fraction& a, const Fraction& b);
  // By a size. `quotient`: parts and ratio, with a * parts == b * ratio.
  Maybe Divide(const Fraction& a, const Fraction& b,
               const std::optional<std::pair<int64_t, int64_t>>& quotient);
  // With root * root == v.base.
  Maybe Root(const Fraction& v, Dim root);
  // What Divide compares: each side without what it shares with the other.
  std::optional<std::pair<Dim, Dim>> Sides(const Fraction& a, const Fraction& b);
  // `floor`, `ceil`, `trunc`, `round`.
  Maybe Whole(const std::string& function, const Fraction& v);
  // `min`, `max`.
  Maybe Extreme(const std::string& function, const Fraction& a, const Fraction& b);
  // Which of two is less, or whether they are equal, as `op` says.
  std::optional<Dim> Compare(Operator op, const Fraction& a, const Fraction& b);
  // Of what is whole.
  std::optional<Dim> Size(const Fraction& v);

 private:
  Dim Numerator(const Fraction& v);
  // A number as one: 3 as 1 * 3.
  Fraction Folded(Fraction v);
  // In lower terms, by what divides the numerator for all sizes, which is needed.
  Fraction InLowerTerms(Fraction v);
  Maybe Restored(const Fraction& quotient, const Fraction& factor);
  Maybe Nearest(Fraction v);
  Maybe Multiple(const Fraction& whole, const Fraction& factor, bool divides);
  void Need(Dim value, int64_t most);

  Terms& terms_;
  std::vector<Dim>& needs_;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_FRACTION_H_
