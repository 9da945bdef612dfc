// The element functions on numbers, as generated kernels compute them: this calls the same text
// (codegen/support/scalar.h).
#ifndef TESSERA_NESTS_ARITHMETIC_H_
#define TESSERA_NESTS_ARITHMETIC_H_

#include "absl/types/span.h"
#include "ir/tensor.h"
#include "nests/scalar.h"

namespace tessera::nests {

// Float to integer truncates and saturates, NaN becomes 0; integer to integer wraps; towards bool
// what is not 0 is true.
Value Convert(Number number, const Value& value);
// Arguments of the number of arguments that the function takes, of one number type (but for the
// condition of `select`).
Value Apply(Function function, absl::Span<const Value> args);
// One step of a reduction in the number type of both.
Value Combine(Reduction reduction, const Value& sum, const Value& term);

// An element as a kernel reads it.
Value ElementOf(const ir::Tensor& tensor, int64_t i, Number number);

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_ARITHMETIC_H_
