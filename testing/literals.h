// Tensors from the literals of definition files.
#ifndef TESSERA_TESTING_LITERALS_H_
#define TESSERA_TESTING_LITERALS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/support/examples.h"
#include "ir/tensor.h"

namespace tessera::testing {

// Values of a random literal depend on `seed` alone.
absl::StatusOr<ir::Tensor> TensorOf(const ops::Literal& literal, uint64_t seed);

// Empty if the tensors agree: same dtype and shape; floats within `tolerance`, relative to the
// larger of 1 and the expected magnitude; NaN equals NaN.
std::string Difference(const ir::Tensor& actual, const ir::Tensor& expected, double tolerance);

// The same of all results of an operation or network, each with a tolerance of its own or all with
// one: their number, then the first that differs.
std::string Difference(const std::vector<ir::Tensor>& actual,
                       const std::vector<ir::Tensor>& expected,
                       const std::function<double(size_t)>& tolerance_of);
std::string Difference(const std::vector<ir::Tensor>& actual,
                       const std::vector<ir::Tensor>& expected, double tolerance);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_LITERALS_H_
