// Terms as expressions of Z3. Internal to this package.
#ifndef TESSERA_NESTS_PIECEWISE_ENCODER_H_
#define TESSERA_NESTS_PIECEWISE_ENCODER_H_

#include <map>
#include <string>
#include <vector>

#include "nests/terms.h"
#include "z3++.h"

namespace tessera::nests::internal {

// Each element once; side conditions, which some value of what is new in them always satisfies, go
// into the solver. No text of a user reaches Z3.
class PiecewiseEncoder {
 public:
  PiecewiseEncoder(const Terms& terms, z3::context& z3, z3::solver& solver)
      : terms_(terms), z3_(z3), solver_(solver) {}

  z3::expr Of(Terms::Element e);

 private:
  using Node = Terms::Node;

  z3::expr Encode(Terms::Element e);
  z3::expr Literal(const Node& node);
  z3::expr Applied(Terms::Element e);
  z3::expr Truth(Terms::Element e);
  z3::expr Real(const Terms::Poly<Rational>& poly);
  z3::expr Whole(const Node& node);
  z3::expr Converted(const Node& node);
  z3::expr Unary(Function function, const Node& node, const z3::expr& a);
  // A function of which only the name and the arguments are known.
  z3::expr Unknown(const Node& node);
  void AssertKnown(const Node& node, const z3::expr& argument, const z3::expr& value);

  z3::sort SortOf(Number number);
  z3::expr Fresh(const z3::sort& sort);
  // The number that is congruent to `value` modulo 2^bits and lies in the range of its type.
  z3::expr Wrapped(const z3::expr& value, size_t bits, bool is_signed);
  z3::expr Fraction(const Rational& value) { return z3_.real_val(value.Fraction().c_str()); }
  z3::expr Power(size_t bits);  // 2^bits

  const Terms& terms_;
  z3::context& z3_;
  z3::solver& solver_;
  std::map<Terms::Element, z3::expr> encoded_, inverses_;
  std::map<std::string, int> functions_;  // numbers of names
  int fresh_ = 0;
};

}  // namespace tessera::nests::internal

#endif  // TESSERA_NESTS_PIECEWISE_ENCODER_H_
