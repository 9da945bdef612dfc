// Values of sampled tensors.
#ifndef TESSERA_TESTING_SAMPLING_VALUES_H_
#define TESSERA_TESTING_SAMPLING_VALUES_H_

#include <cstdint>
#include <vector>

#include "ir/tensor.h"
#include "testing/sampling/random.h"

namespace tessera::testing {

enum class Style : uint8_t {
  kPlain,    // floats within -2 .. 2, integers within -8 .. 8, some of them equal
  kSpecial,  // among plain ones NaN, infinities, -0, denormals; limits of integers
  kExtreme,  // among special ones the largest floats, whose sums depend on their order
};

// `shape` has at most as many elements as memory holds: it is one that was sampled.
ir::Tensor RandomValues(ir::DType dtype, std::vector<int64_t> shape, Style style, Random& random);
// Other values in place of those that are not finite, or large, or tiny.
ir::Tensor Tamed(const ir::Tensor& tensor);
// Integers in -limit .. limit - 1, which count positions from either end; or from the start alone.
ir::Tensor RandomPositions(ir::DType dtype, std::vector<int64_t> shape, int64_t limit,
                           bool from_end, Random& random);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_VALUES_H_
