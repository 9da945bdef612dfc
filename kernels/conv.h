// Convolutions as matrix products: the patches that a tile of output positions reads are laid out
// as columns (im2col) and multiplied by the filters with Eigen. Depthwise convolutions are direct
// loops. Instantiated for float and double. Padding reads 0.
#ifndef TESSERA_KERNELS_CONV_H_
#define TESSERA_KERNELS_CONV_H_

#include <cstdint>

#include "kernels/window.h"

namespace tessera::kernels {

struct ConvGeometry {
  int64_t batch = 1;
  int64_t channels = 1;  // of the input
  int64_t filters = 1;   // channels of the output
  int64_t groups = 1;    // divides channels and filters
  Window window;
};

// x [batch, channels, input...], w [filters, channels / groups, kernel...], bias [filters] or null,
// y [batch, filters, output...].
template <class T>
void ConvChannelsFirst(const ConvGeometry& geometry, const T* x, const T* w, const T* bias, T* y);

// x [batch, input..., channels], w [filters, kernel..., channels / groups], bias [filters] or null,
// y [batch, output..., filters].
template <class T>
void ConvChannelsLast(const ConvGeometry& geometry, const T* x, const T* w, const T* bias, T* y);

// groups == channels; x [batch, input..., channels], w [kernel..., filters], bias [filters] or
// null, y [batch, output..., filters]; filter m reads channel m / (filters / channels).
template <class T>
void DepthwiseConvChannelsLast(const ConvGeometry& geometry, const T* x, const T* w, const T* bias,
                               T* y);

}  // namespace tessera::kernels

#endif  // TESSERA_KERNELS_CONV_H_
