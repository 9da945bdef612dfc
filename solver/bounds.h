// Bounds of expressions that follow from the ranges of symbols. Internal to this package.
#ifndef TESSERA_SOLVER_BOUNDS_H_
#define TESSERA_SOLVER_BOUNDS_H_

#include <cstdint>

#include "solver/expr.h"
#include "solver/poly.h"
#include "solver/ranges.h"
#include "solver/store.h"

namespace tessera::solver::internal {

// Bounds of one monomial or atom; kept in the node.
Range RangeOfNode(const Node* node);

// Interval arithmetic over the monomials: exact for independent ones, blind to what they share.
Range IntervalOf(const Poly& poly);

// A lower bound that also uses, from the outermost atom inwards, with C the (polynomial) factor of
// the atom in `poly`:
//   floor(N/c), c constant:  (N - c + 1)/c <= it where C >= 0,  it <= N/c where C <= 0
//   floor(N/D), C = T*D:     T*(N - D + 1) <= C*it where T >= 0,  C*it >= T*N where T <= 0
//   min{e...}:               the worst e where C >= 0, any e where C <= 0
//   if-then-else, propositions: the worse of their two values
//   P with every atom x of a product written as (its least value) + x', x' >= 0: the constant,
//   where all other coefficients are >= 0
// `budget` bounds the number of atoms that are opened.
int64_t LowerBound(Store& store, const Poly& poly, int budget);
// The last of these alone; kNegInf where it says nothing.
int64_t LowerBoundOfProducts(Store& store, const Poly& poly);
inline int64_t UpperBound(Store& store, const Poly& poly, int budget) {
  Poly negated = poly;
  negated.Negate();
  const int64_t low = negated.ok ? LowerBound(store, negated, budget) : Range::kNegInf;
  return low == Range::kNegInf   ? Range::kPosInf
         : low == Range::kPosInf ? -(Range::kPosInf - 1)
                                 : -low;
}
Range RangeOfPoly(Store& store, const Poly& poly, int budget);

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_BOUNDS_H_
