// Proofs of propositions from facts, without search. Internal to this package.
#ifndef TESSERA_SOLVER_PROVER_H_
#define TESSERA_SOLVER_PROVER_H_

#include <cstdint>
#include <vector>

#include "solver/expr.h"
#include "solver/poly.h"
#include "solver/store.h"

namespace tessera::solver::internal {

// What a proof rests on, from cheap to costly.
enum class Layer {
  kNormalForm,  // the rules of rules.h
  kRange,       // bounds.h; floors by order of what they are of; P >= 0 because of d*P + d - 1 >= 0
                // for a divisor d inside
  kSquares,     // a quadratic form is a sum of squares
  kHypotheses,  // m*e - k*M*h >= 0 for hypotheses h >= 0, m, k > 0, M >= 0 a monomial; x = d*k
                // where d divides x (branches.h)
  kCases,       // every value of an if-then-else, proposition or min inside; one disjunct from the
                // denial of the others; the least values of a symbol (branches.h)
  kResidues,    // x = m*q + r for all r, m a common multiple of the constant divisors above x
};

class Prover {
 public:
  // Gives up when hypotheses have been taken `combinations` times.
  explicit Prover(Store& store, int combinations = kMostCombinations);
  bool Prove(const Expr& proposition);
  Layer layer() const { return layer_; }
  int combinations_left() const { return combinations_left_; }

 private:
  static constexpr int kMaxCaseDepth = 5;
  static constexpr int kMostCombinations = 8192;

  bool ProveHere(const Expr& e, int depth);
  bool ProveAtom(const Expr& e, int depth);
  bool ProveDisjunction(const Node* denied, int depth);
  bool ProveByCases(const Expr& e, int depth);
  bool ProveByResidues(const Expr& e);  // residues.cc
  bool ProveZero(const Poly& poly);
  bool ProveNonNegative(const Poly& poly);
  bool FollowsFromHypotheses(const Poly& poly, int depth);
  bool ProveByFloors(const Poly& poly, int depth);
  bool ProveByScaling(const Poly& poly);
  bool IsSumOfSquares(const Poly& poly);  // squares.cc
  void Assume(const Expr& e);
  bool Used(Layer layer);

  Store& store_;
  std::vector<Poly> hypotheses_;  // each >= 0
  Layer layer_ = Layer::kNormalForm;
  int cases_left_ = 96;
  const uint64_t last_work_;  // Store::work beyond which no further case is looked at
  int steps_left_ = 0;
  int combinations_left_;
};

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_PROVER_H_
