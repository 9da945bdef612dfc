// Transposed convolutions: the product of filters and inputs gives, per input position, what it
// adds to the outputs under its kernel (col2im). Instantiated for float and double.
#ifndef TESSERA_KERNELS_CONV_TRANSPOSE_H_
#define TESSERA_KERNELS_CONV_TRANSPOSE_H_

#include <cstdint>

#include "kernels/window.h"

namespace tessera::kernels {

// The window is that of the convolution whose gradient this is: its `output` is our input and its
// `input` our output, so input position o at kernel offset k adds to output position o * strides +
// k * dilations - pads_begin.
struct ConvTransposeGeometry {
  int64_t batch = 1;
  int64_t channels = 1;  // of the input
  int64_t filters = 1;   // channels of the output
  int64_t groups = 1;    // divides channels and filters
  Window window;
};

// x [batch, channels, window.output...], w [channels, filters / groups, kernel...], bias [filters]
// or null, y [batch, filters, window.input...].
template <class T>
void ConvTransposeChannelsFirst(const ConvTransposeGeometry& geometry, const T* x, const T* w,
                                const T* bias, T* y);

// groups == 1; x [batch, window.output..., channels], w [filters, kernel..., channels], bias
// [filters] or null, y [batch, window.input..., filters].
template <class T>
void ConvTransposeChannelsLast(const ConvTransposeGeometry& geometry, const T* x, const T* w,
                               const T* bias, T* y);

}  // namespace tessera::kernels

#endif  // TESSERA_KERNELS_CONV_TRANSPOSE_H_
