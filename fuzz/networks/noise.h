// What a network computes on a device whose numbers are coarse.
#ifndef TESSERA_FUZZ_NETWORKS_NOISE_H_
#define TESSERA_FUZZ_NETWORKS_NOISE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "fuzz/networks/recipe.h"
#include "ir/tensor.h"

namespace tessera::fuzz {

struct Noise {
  double part;  // up to this of a value's greatest element
  bool codes;   // those that floats are rounded to are off by one at most
};

// The outputs where every value of floats, inputs included, has seeded noise on it. Error: a step
// that has no values then, or none of these sizes.
absl::StatusOr<std::vector<ir::Tensor>> RunWithNoise(const Recipe& recipe,
                                                     absl::Span<const ir::Tensor> inputs,
                                                     const Noise& noise, uint64_t seed);

}  // namespace tessera::fuzz

#endif  // TESSERA_FUZZ_NETWORKS_NOISE_H_
