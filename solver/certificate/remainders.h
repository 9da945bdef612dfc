// Claims decided remainder by remainder.
#ifndef TESSERA_SOLVER_CERTIFICATE_REMAINDERS_H_
#define TESSERA_SOLVER_CERTIFICATE_REMAINDERS_H_

#include "solver/certificate/problem.h"

namespace tessera::certificate {

// Whether the claim holds within the declared ranges because it does for each remainder of one of
// its symbols, divided by what the claim divides by.
bool HoldsByRemainders(const Problem& problem, const Claim& claim);

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_REMAINDERS_H_
