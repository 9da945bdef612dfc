// Arithmetic of bounds, rounding outwards: a bound that leaves int64 becomes unbounded, or the
// nearest number that is still a bound.
#ifndef TESSERA_SOLVER_RANGES_H_
#define TESSERA_SOLVER_RANGES_H_

#include <cstdint>

#include "solver/expr.h"

namespace tessera::solver {

int64_t AddLow(int64_t a, int64_t b);
int64_t AddHigh(int64_t a, int64_t b);
Range AddRanges(Range a, Range b);
Range MultiplyRanges(Range a, Range b);
Range ScaleRange(Range a, int64_t factor);
Range RangeOfFloor(Range n, Range d);  // of floor(n/d), where it is defined: d >= 1

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_RANGES_H_
