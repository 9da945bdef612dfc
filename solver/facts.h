// What facts become: ranges, congruences and values of symbols, or hypotheses. Internal to this
// package.
#ifndef TESSERA_SOLVER_FACTS_H_
#define TESSERA_SOLVER_FACTS_H_

#include <cstdint>
#include <vector>

#include "solver/poly.h"
#include "solver/store.h"

namespace tessera::solver::internal {

// Moves finite bounds inwards to the nearest values of the congruence; false: no value is left.
bool Tighten(Range& range, const Congruence& congruence);

// Turns one fact, in normal form, into all that it says about single symbols. For N, p polynomials,
// x a symbol, a, c, k integers:
// clang-format off
//   a*x + k >= 0                  bounds x
//   a*min(e, ...) + N >= 0        is a*e + N >= 0 for all e, where a > 0
//   a*x + k == 0                  is the value of x
//   p - c*floor(N/c) == 0         with p - N constant: N mod c is known; for N = a*x + k this is a
//                                 congruence of x
//   x - p == 0                    x is p wherever p does not contain x; the bounds of x become
//                                 facts about p, its congruence too
//   a*x + (g*p + k) == 0          x is known mod g/gcd(a, g)
//   x != the bound of its range   moves the bound
// clang-format on
// What has none of these forms is kept as a hypothesis. Each time a symbol changes, the values of
// others and the hypotheses are built anew, and those that now have one of the forms are applied.
class FactApplier {
 public:
  explicit FactApplier(Store& store) : store_(store) {}
  // False: it contradicts what is known.
  bool Apply(const Expr& fact);

 private:
  bool ApplyOne(const Expr& fact);
  bool ApplyZero(const Expr& fact, const Expr& e);
  bool ApplyNonNegative(const Expr& fact, const Poly& poly);
  bool ApplyNonZero(const Expr& fact, const Poly& poly);
  bool Keep(const Expr& fact);
  // Of what stands for the symbol: the node of the symbol, or its quotient.
  // What leaves 64 bits is kept as a hypothesis.
  bool SetCongruence(const Expr& fact, const Node* leaf, int64_t factor, int64_t offset,
                     int64_t modulus, int64_t residue, bool* news);
  bool SetBounds(const Expr& fact, const Node* leaf, Range range);
  bool SetValue(const Expr& fact, const Node* leaf, const Expr& value);
  bool Changed(SymbolEntry& entry);
  SymbolEntry& EntryOf(const Node* leaf) {
    return store_.symbols[static_cast<size_t>(leaf->constant)];
  }

  Store& store_;
  std::vector<Expr> pending_;
  bool changed_ = false;
};

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_FACTS_H_
