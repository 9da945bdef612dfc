// The unknowns of a claim's polynomials, and what their ranges and operators say of polynomials.
#ifndef TESSERA_SOLVER_CERTIFICATE_UNKNOWNS_H_
#define TESSERA_SOLVER_CERTIFICATE_UNKNOWNS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "solver/certificate/atom.h"
#include "solver/certificate/polynomial.h"
#include "solver/certificate/range.h"

namespace tessera::certificate {

class Unknowns {
 public:
  // The unknown that an atom is; its operands' unknowns are numbered before it.
  Polynomial Number(Atom atom, const Range& range);
  const Atom& operator[](uint32_t unknown) const { return *by_number_[unknown]; }
  Range RangeOf(const Polynomial& polynomial) const;

  // Whether a proposition is the negation of something of which the other one is a part:
  // `!(p && q)` and `p`, of which one or the other always holds.
  bool OneHolds(const Polynomial& negation, const Polynomial& conclusion) const;

  // Whether a polynomial was found to be at least 0 for all values: an extreme is one of its
  // operands, and is bounded by both; b*floor(a/b) is at most a and at least a - b + 1; a product
  // is if its factors are.
  bool IsNeverNegative(const Polynomial& polynomial) const;

 private:
  // What is left of a search for bounds.
  struct Budget {
    int steps;
    std::set<Polynomial> failed;
  };

  const Atom* AtomOf(const Polynomial& polynomial) const;
  void AddConjuncts(const Polynomial& proposition, std::set<Polynomial>& conjuncts) const;
  bool Search(const Polynomial& polynomial, Budget& budget) const;
  std::optional<Polynomial> WithoutCommonFactor(const Polynomial& polynomial) const;
  bool Replace(const Polynomial& polynomial, uint32_t unknown, Wide coefficient,
               Budget& budget) const;

  std::map<Atom, uint32_t> atoms_;
  std::vector<const Atom*> by_number_;
  std::vector<Range> ranges_;
};

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_UNKNOWNS_H_
