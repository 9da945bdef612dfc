// What samples yield, in a number: the same as long as the definition means the same.
#ifndef TESSERA_TESTING_SAMPLING_PINS_H_
#define TESSERA_TESTING_SAMPLING_PINS_H_

#include <vector>

#include "ir/tensor.h"

namespace tessera::testing {

// Of 31 bits, with `before`. Floats count to three digits of the largest in their tensor, so that
// the last bits of a function of the machine's library do not matter.
int Pinned(const std::vector<ir::Tensor>& results, int before);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_PINS_H_
