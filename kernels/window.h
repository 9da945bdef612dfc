// The geometry that convolutions and pools share: along spatial axis d, output position o and
// kernel offset k read the input at
//   o * strides[d] + k * dilations[d] - pads_begin[d]
// and read padding where that falls outside [0, input[d]). All lists have one entry per spatial
// axis.
#ifndef TESSERA_KERNELS_WINDOW_H_
#define TESSERA_KERNELS_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::kernels {

struct Window {
  std::vector<int64_t> input, kernel, output;
  std::vector<int64_t> strides, dilations;  // positive
  std::vector<int64_t> pads_begin;          // negative crops

  size_t rank() const { return input.size(); }
  int64_t input_size() const;   // positions
  int64_t kernel_size() const;  // offsets
  int64_t output_size() const;  // positions
  // The output is the input: kernel 1, stride 1, no padding.
  bool is_identity() const;
  int64_t Source(size_t d, int64_t o, int64_t k) const {
    return o * strides[d] + k * dilations[d] - pads_begin[d];
  }
};

// A half-open range.
struct Range {
  int64_t begin, end;
};

// The output positions along axis d that read inside the input at kernel offset k.
Range InsideOutputs(const Window& window, size_t d, int64_t k);
// The kernel offsets along axis d that read inside the input from output position o.
Range InsideOffsets(const Window& window, size_t d, int64_t o);

// The row-major coordinates of a linear position.
void Unravel(int64_t position, const std::vector<int64_t>& dims, std::vector<int64_t>& coordinates);

}  // namespace tessera::kernels

#endif  // TESSERA_KERNELS_WINDOW_H_
