// Seeded values, the same on every machine.
#ifndef TESSERA_SUPPORT_RANDOM_TENSOR_H_
#define TESSERA_SUPPORT_RANDOM_TENSOR_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/tensor.h"

namespace tessera::support {

// Floats are uniform in [-1, 1), 8-bit integers in their whole range, wider integers in 0 .. 9
// (they are mostly indices), bools a coin. Error: a shape that `ir::Tensor::Allocate` refuses.
absl::StatusOr<ir::Tensor> RandomTensor(ir::DType dtype, std::vector<int64_t> shape, uint64_t seed);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_RANDOM_TENSOR_H_
