// Max and average pools, for float and double.
#ifndef TESSERA_KERNELS_POOL_H_
#define TESSERA_KERNELS_POOL_H_

#include <cstdint>
#include <vector>

#include "kernels/window.h"

namespace tessera::kernels {

// Channels first: x [planes, input...], y [planes, output...], inner == 1. Channels last: x
// [planes, input..., inner], y [planes, output..., inner].
struct PoolGeometry {
  int64_t planes = 1;
  int64_t inner = 1;
  Window window;
};

// The maximum of what lies inside the input, NaN if any is, -inf if nothing does.
template <class T>
void MaxPool(const PoolGeometry& geometry, const T* x, T* y);

// The mean of what lies inside the input. With `count_padding`, the divisor also counts the
// positions inside the padding, of which `pads_end` says how far it reaches beyond the input
// (positions further out, which ceil mode makes, never count). 0 where nothing counts.
template <class T>
void AveragePool(const PoolGeometry& geometry, bool count_padding,
                 const std::vector<int64_t>& pads_end, const T* x, T* y);

}  // namespace tessera::kernels

#endif  // TESSERA_KERNELS_POOL_H_
