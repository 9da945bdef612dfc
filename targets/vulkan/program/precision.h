// In what floats are computed.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_PRECISION_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_PRECISION_H_

#include <functional>

#include "nests/nest.h"

namespace tessera::vulkan {

// The scalar with f32 in the place of f64 where f32 goes in and f32 comes out: sums and what is
// made of them. Definitions accumulate in f64; devices are slow at it, or have none. What is
// rounded on the way costs some 1e-7 of the sum per doubling of its length.
// `is_small`: tensors whose elements are f64 where they are read, and are all in f32; without it
// there are none.
nests::Scalar InSinglePrecision(const nests::Scalar& scalar,
                                const std::function<bool(nests::TensorId)>& is_small = {});

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_PRECISION_H_
