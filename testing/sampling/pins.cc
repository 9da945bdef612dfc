#include "testing/sampling/pins.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tessera::testing {
namespace {

uint64_t Mixed(uint64_t state, uint64_t word) {
  state = (state ^ word) * 0x9e3779b97f4a7c15;
  return state ^ (state >> 29);
}

// Numbers that are far from finite in f32 are as good as infinite: islands of f64 are rare.
constexpr double kLarge = 1e30;

uint64_t Rounded(double value, double step) {
  if (std::isnan(value)) return 1;
  if (std::abs(value) > kLarge) return value > 0 ? 2 : 3;
  return static_cast<uint64_t>(std::llround(value / step)) + 4;
}

}  // namespace

int Pinned(const std::vector<ir::Tensor>& results, int before) {
  uint64_t state = static_cast<uint64_t>(before);
  for (const ir::Tensor& tensor : results) {
    state = Mixed(state, static_cast<uint64_t>(tensor.dtype()));
    for (const int64_t size : tensor.shape()) state = Mixed(state, static_cast<uint64_t>(size));
    double largest = 0;
    for (int64_t i = 0; i < tensor.size() && ir::IsFloat(tensor.dtype()); ++i) {
      const double value = std::abs(tensor.AsDouble(i));
      if (value <= kLarge) largest = std::max(largest, value);
    }
    const double step = largest > 1e-30 ? largest / 1000 : 1;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      state = Mixed(state, ir::IsFloat(tensor.dtype()) ? Rounded(tensor.AsDouble(i), step)
                                                       : static_cast<uint64_t>(tensor.AsInt(i)));
    }
  }
  return static_cast<int>(state >> 33);
}

}  // namespace tessera::testing
