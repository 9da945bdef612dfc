// Seeded geometries and values for the kernels' tests. Values are small integers: sums of their
// products are exact in any order, so kernels are compared for equality.
#ifndef TESSERA_KERNELS_TESTING_H_
#define TESSERA_KERNELS_TESTING_H_

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/window.h"

namespace tessera::kernels {

inline int64_t Draw(std::mt19937& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

template <class T>
std::vector<T> Values(std::mt19937& random, int64_t count) {
  std::vector<T> values(count);
  for (T& v : values) v = static_cast<T>(Draw(random, -4, 4));
  return values;
}

// A window of the given rank with strides, dilations, paddings and crops, and at least one output
// position per axis.
inline Window DrawWindow(std::mt19937& random, size_t rank) {
  Window window;
  while (window.rank() < rank) {
    const int64_t input = Draw(random, 1, 9), kernel = Draw(random, 1, 4),
                  stride = Draw(random, 1, 3);
    const int64_t dilation = Draw(random, 1, 3), begin = Draw(random, -1, 3),
                  end = Draw(random, -1, 3);
    const int64_t room = input + begin + end - (kernel - 1) * dilation - 1;
    if (room < 0) continue;
    window.input.push_back(input);
    window.kernel.push_back(kernel);
    window.output.push_back(room / stride + 1);
    window.strides.push_back(stride);
    window.dilations.push_back(dilation);
    window.pads_begin.push_back(begin);
  }
  return window;
}

// The linear input position that output position o reads at offset k; -1 in the padding.
inline int64_t Read(const Window& window, int64_t o, int64_t k) {
  std::vector<int64_t> at, offset;
  Unravel(o, window.output, at);
  Unravel(k, window.kernel, offset);
  int64_t position = 0;
  for (size_t d = 0; d < window.rank(); ++d) {
    const int64_t i =
        at[d] * window.strides[d] + offset[d] * window.dilations[d] - window.pads_begin[d];
    if (i < 0 || i >= window.input[d]) return -1;
    position = position * window.input[d] + i;
  }
  return position;
}

}  // namespace tessera::kernels

#endif  // TESSERA_KERNELS_TESTING_H_
