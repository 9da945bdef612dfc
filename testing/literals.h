// Tensors from the literals of definition files.
#ifndef TESSERA_TESTING_LITERALS_H_
#define TESSERA_TESTING_LITERALS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "codegen/support/examples.h"
#include "ir/tensor.h"

namespace tessera::testing {

// Values of a random literal depend on `seed` alone.
absl::StatusOr<ir::Tensor> TensorOf(const ops::Literal& literal, uint64_t seed);

// Empty if the tensors agree: same dtype and shape; floats within `tolerance`, relative to the
// larger of 1 and the expected magnitude; NaN equals NaN.
std::string Difference(const ir::Tensor& actual, const ir::Tensor& expected, double tolerance);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_LITERALS_H_
