// Claims in fewer words: what the ranges of their symbols decide is decided, and polynomials are
// multiplied out and divided. Nothing else is known here; what is left is for a solver.
#ifndef TESSERA_SOLVER_CERTIFICATE_SIMPLIFY_H_
#define TESSERA_SOLVER_CERTIFICATE_SIMPLIFY_H_

#include <optional>

#include "solver/certificate/problem.h"

namespace tessera::certificate {

// A claim that holds for the same sizes within the declared ranges; one without symbols is decided.
// Nothing: it is too large, or it divides by what may be less than 1.
std::optional<Claim> Simplified(const Problem& problem, const Claim& claim);

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_SIMPLIFY_H_
