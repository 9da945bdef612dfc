// Claims in fewer words: what the ranges of their symbols decide is decided, and polynomials are
// multiplied out and divided. Nothing else is known here; what is left is for a solver.
#ifndef TESSERA_SOLVER_CERTIFICATE_SIMPLIFY_H_
#define TESSERA_SOLVER_CERTIFICATE_SIMPLIFY_H_

#include <cstdint>
#include <optional>

#include "solver/certificate/problem.h"

namespace tessera::certificate {

// Values of a symbol, by its index in the problem, that leave `residue` when divided by `stride`.
struct Remainder {
  uint32_t symbol = 0;
  int64_t stride = 1, residue = 0;
};

// A claim that holds for the same sizes within the declared ranges; one without symbols is decided.
// Nothing: it is too large, or it divides by what may be less than 1.
// `of`: for the sizes alone that have this remainder, in the place of the one that is declared.
std::optional<Claim> Simplified(const Problem& problem, const Claim& claim,
                                const std::optional<Remainder>& of = std::nullopt);

// Whether nothing is left of it: it was found to hold.
bool IsTrue(const Claim& simplified);

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_SIMPLIFY_H_
