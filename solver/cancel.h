// What numerator and divisor of a floor share, or nearly share. Internal to this package.
#ifndef TESSERA_SOLVER_CANCEL_H_
#define TESSERA_SOLVER_CANCEL_H_

#include <cstdint>

#include "solver/poly.h"
#include "solver/store.h"

namespace tessera::solver::internal {

// Whether low <= p <= high follows from bounds.
bool IsWithin(Store& store, const Poly& p, const Poly& low, const Poly& high);

// Each is true if it made p/c or p/d smaller, with the same floor as before.

// Rule R8 for a constant divisor: where floor(N/g) occurs in p with a multiple of g for a
// coefficient, what g does not divide, together with that term, may be the remainder of N by g.
bool DropRemainder(Store& store, Poly& p, int64_t& c);
// Rule R8 for a constant divisor, after R2: the terms that a divisor g of c does not divide are
// less than g by their ranges.
bool DropSmallTerms(Poly& p, int64_t& c);
// Rules R7 and R8 for a number or an atom that divides all terms of d.
bool CancelAnyFactor(Store& store, Poly& p, Poly& d);

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_CANCEL_H_
