// Decisions about propositions with Z3 behind the cheap layers.
//
// What Decide (solver/decide.h) leaves open goes to Z3 as the residual normal form, under a
// resource limit that counts Z3's own steps, so that an answer never depends on the machine's
// speed. Affine goals have one quotient and remainder variable for each division; others use
// SMT-LIB's native `div`, which is floor division as the divisor is asserted to be positive.
#ifndef TESSERA_SOLVER_PROVE_H_
#define TESSERA_SOLVER_PROVE_H_

#include <cstdint>
#include <memory>

#include "solver/decide.h"
#include "solver/expr.h"

namespace tessera::solver {

struct ProveOptions {
  // In Z3's units, for one attempt; there are at most two for a query. Both keep a query well below
  // a second. The units of multiplication say little of the time it takes, hence the difference.
  uint32_t affine_limit = 200'000;
  uint32_t product_limit = 10'000;
};

// One Z3 context, made at the first query that needs it (some milliseconds). Not thread-safe.
class Prover {
 public:
  explicit Prover(ProveOptions options = {});
  ~Prover();
  Prover(const Prover&) = delete;
  Prover& operator=(const Prover&) = delete;

  // As Decide. Further values of Verdict::by: "z3" for a proof, "z3-model" for a counterexample
  // that Z3 found and evaluation confirmed. Facts for which the search found no witness are
  // satisfied or found contradictory by Z3 where it can.
  Verdict Prove(Context& context, const Expr& predicate);

  // The number of queries that Z3 has seen.
  int queries() const;

 private:
  class Session;
  ProveOptions options_;
  std::unique_ptr<Session> session_;
};

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_PROVE_H_
