#include "passes/compression/quantization/weight_scales.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "passes/compression/quantization/nearest_integer.h"
#include "passes/compression/quantization/rounding.h"

namespace tessera::compression {
namespace {

// Sum of squared errors; stops where it exceeds `bound`.
double SymmetricError(const std::vector<float>& w, float scale, float most, double bound) {
  double error = 0;
  const float inverse = 1 / scale;
  for (size_t begin = 0; begin < w.size() && error < bound; begin += 256) {
    const size_t end = std::min(w.size(), begin + 256);
    const Eigen::Map<const Eigen::ArrayXf> part(w.data() + begin,
                                                static_cast<Eigen::Index>(end - begin));
    const Eigen::ArrayXf bounded = (part * inverse).min(most).max(-most);
    error += (part - NearestInteger(bounded) * scale).square().sum();
  }
  return error;
}

// The scale for which rounding to the codes that `scale` gives is closest.
float Refitted(const std::vector<float>& w, float scale, float most) {
  double product = 0, squares = 0;
  for (const float x : w) {
    const double code = std::max(-most, std::min(most, std::nearbyint(x / scale)));
    product += code * x;
    squares += code * code;
  }
  return squares == 0 ? scale : static_cast<float>(product / squares);
}

float SymmetricScale(const std::vector<float>& w, int64_t high, bool search) {
  float largest = 0;
  for (const float x : w) largest = std::max(largest, std::fabs(x));
  if (largest == 0) return 1;
  const auto most = static_cast<float>(high);
  float best = largest / most;
  if (!search) return best;
  double least = SymmetricError(w, best, most, std::numeric_limits<double>::infinity());
  // The largest weight as any code from half of the codes on, which meets whatever grid of up to
  // that many steps the weights lie on; and as more than there are, where it is cut off.
  const int64_t from = std::max<int64_t>(1, high / 2), to = high + high / 3;
  for (int64_t k = from; k <= to && least > 0; ++k) {
    const float scale = largest / static_cast<float>(k);
    const double error = SymmetricError(w, scale, most, least);
    if (error >= least) continue;
    least = error;
    best = scale;
  }
  const float refitted = Refitted(w, best, most);
  if (refitted > 0 && SymmetricError(w, refitted, most, least) < least) best = refitted;
  return best;
}

}  // namespace

Grid ChooseWeightGrid(const ir::Tensor& weight, const WeightScheme& scheme) {
  const Along along = Along::Axis(weight.shape(), scheme.axis);
  const Codes codes = Codes::Of(scheme.storage);
  Grid grid;
  grid.storage = scheme.storage;
  grid.axis = scheme.axis;
  grid.low = scheme.symmetric && codes.low < 0 ? -codes.high : codes.low;
  grid.high = codes.high;
  const std::vector<int64_t> shape =
      scheme.axis < 0 ? std::vector<int64_t>{} : std::vector<int64_t>{along.n};
  std::vector<float> scales;
  std::vector<int32_t> zeros;
  const float* data = weight.data<float>();
  std::vector<float> entry;
  for (int64_t e = 0; e < along.n; ++e) {
    entry.clear();
    for (int64_t o = 0; o < along.outer; ++o) {
      const float* from = data + (o * along.n + e) * along.inner;
      entry.insert(entry.end(), from, from + along.inner);
    }
    if (scheme.symmetric && codes.low < 0) {
      scales.push_back(SymmetricScale(entry, codes.high, scheme.search));
      zeros.push_back(0);
    } else {
      const auto ends = std::minmax_element(entry.begin(), entry.end());
      const Grid one = GridOf(entry.empty() ? 0 : *ends.first, entry.empty() ? 0 : *ends.second,
                              scheme.storage, scheme.symmetric);
      scales.push_back(one.scale.data<float>()[0]);
      zeros.push_back(one.zero_point->data<int32_t>()[0]);
    }
  }
  grid.scale = ir::Tensor::Of<float>(ir::DType::kF32, shape, scales);
  grid.zero_point = ir::Tensor::Of<int32_t>(ir::DType::kI32, shape, zeros);
  return grid;
}

double WeightError(const ir::Tensor& weight, const Grid& grid) {
  const ir::Tensor rounded = OnGrid(weight, grid);
  double error = 0;
  for (int64_t i = 0; i < weight.size(); ++i) {
    const double off = double{weight.data<float>()[i]} - rounded.data<float>()[i];
    error += off * off;
  }
  return error;
}

}  // namespace tessera::compression
