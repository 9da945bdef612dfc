// Which integers a dtype holds. Arithmetic wraps beyond them, expressions do not.
#ifndef TESSERA_IR_INTEGER_RANGE_H_
#define TESSERA_IR_INTEGER_RANGE_H_

#include "ir/dtype.h"
#include "solver/expr.h"

namespace tessera::ir {

// Unbounded on the side of i64 that has no narrower limit: there integers are taken to be
// mathematical. Of integer dtypes.
solver::Range IntegerRange(DType dtype);

// The proposition that `e` lies in that range; true for dtypes that are no integers.
solver::Expr Fits(const solver::Expr& e, DType dtype);

}  // namespace tessera::ir

#endif  // TESSERA_IR_INTEGER_RANGE_H_
