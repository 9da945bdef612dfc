#include "kernels/window.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace tessera::kernels {
namespace {

int64_t Product(const std::vector<int64_t>& list) {
  return std::accumulate(list.begin(), list.end(), int64_t{1}, std::multiplies<>());
}

// ceil(a / b) for b > 0.
int64_t CeilDiv(int64_t a, int64_t b) { return a > 0 ? (a - 1) / b + 1 : -(-a / b); }

// The n in [0, count) with 0 <= n * step + start < limit.
Range Solve(int64_t start, int64_t step, int64_t limit, int64_t count) {
  const int64_t begin = std::clamp<int64_t>(CeilDiv(-start, step), 0, count);
  const int64_t end = std::clamp<int64_t>(CeilDiv(limit - start, step), begin, count);
  return {begin, end};
}

}  // namespace

int64_t Window::input_size() const { return Product(input); }
int64_t Window::kernel_size() const { return Product(kernel); }
int64_t Window::output_size() const { return Product(output); }

bool Window::is_identity() const {
  for (size_t d = 0; d < rank(); ++d) {
    if (kernel[d] != 1 || strides[d] != 1 || pads_begin[d] != 0 || input[d] != output[d])
      return false;
  }
  return true;
}

Range InsideOutputs(const Window& window, size_t d, int64_t k) {
  return Solve(k * window.dilations[d] - window.pads_begin[d], window.strides[d], window.input[d],
               window.output[d]);
}

Range InsideOffsets(const Window& window, size_t d, int64_t o) {
  return Solve(o * window.strides[d] - window.pads_begin[d], window.dilations[d], window.input[d],
               window.kernel[d]);
}

void Unravel(int64_t position, const std::vector<int64_t>& dims,
             std::vector<int64_t>& coordinates) {
  coordinates.resize(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    coordinates[d] = position % dims[d];
    position /= dims[d];
  }
}

}  // namespace tessera::kernels
