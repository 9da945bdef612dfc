// Decisions about propositions with Z3 behind the cheap layers.
//
// What Decide (solver/decide.h) leaves open goes to Z3 as the residual normal form, under a limit
// that counts Z3's own steps, so that an answer never depends on the machine's speed; each query in
// a Z3 of its own, so that it never depends on what was asked before. Z3 sees linear arithmetic
// only, as its steps bound the time of nothing else: floors are quotients with a remainder,
// products are integers of which consequences are asserted (solver/smt_encoder.h).
#ifndef TESSERA_SOLVER_PROVE_H_
#define TESSERA_SOLVER_PROVE_H_

#include <cstdint>

#include "solver/decide.h"
#include "solver/expr.h"

namespace tessera::solver {

struct ProveOptions {
  // In Z3's units, for one call of it; well below a second.
  uint32_t step_limit = 100'000;
  // Further calls for a query, each after what the last model got wrong about products was
  // asserted.
  int refinements = 8;
};

// Not thread-safe. The first query takes some milliseconds more.
class Prover {
 public:
  explicit Prover(ProveOptions options = {});

  // As Decide. Further values of Verdict::by: "z3" for a proof, "z3-model" for a counterexample
  // that Z3 found and evaluation confirmed. Facts for which the search found no witness are
  // satisfied or found contradictory by Z3 where it can.
  Verdict Prove(Context& context, const Expr& predicate);

  // The number of queries that Z3 has seen.
  int queries() const { return queries_; }

 private:
  ProveOptions options_;
  int queries_ = 0;
};

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_PROVE_H_
