#include "passes/compression/quantization/channel_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "passes/compression/quantization/rounding.h"

namespace tessera::compression {

void ChannelRanges::See(const ir::Value& value, const ir::Tensor& tensor) {
  const auto axis = axes_.find(&value);
  if (axis == axes_.end() || tensor.dtype() != ir::DType::kF32) return;
  const Along along = Along::Axis(tensor.shape(), axis->second);
  Ends& ends = all_[&value];
  if (ends.least.empty()) {
    ends.least.assign(static_cast<size_t>(along.n), std::numeric_limits<double>::infinity());
    ends.most.assign(static_cast<size_t>(along.n), -std::numeric_limits<double>::infinity());
    ends.sum.assign(static_cast<size_t>(along.n), 0);
    ends.squares = ends.sum;
  }
  if (static_cast<int64_t>(ends.least.size()) != along.n) {
    ends.finite = false;
    return;
  }
  const float* x = tensor.data<float>();
  for (int64_t o = 0; o < along.outer; ++o) {
    for (int64_t c = 0; c < along.n; ++c, x += along.inner) {
      float least = std::numeric_limits<float>::infinity(), most = -least;
      double sum = 0, squares = 0;  // not finite once an element is not
      for (int64_t i = 0; i < along.inner; ++i) {
        least = std::min(least, x[i]);
        most = std::max(most, x[i]);
        sum += double{x[i]};
        squares += double{x[i]} * double{x[i]};
      }
      const auto channel = static_cast<size_t>(c);
      ends.finite = ends.finite && std::isfinite(squares);
      ends.least[channel] = std::min(ends.least[channel], double{least});
      ends.most[channel] = std::max(ends.most[channel], double{most});
      ends.sum[channel] += sum;
      ends.squares[channel] += squares;
    }
  }
  ends.count += static_cast<double>(along.outer * along.inner);
}

double ChannelRanges::Ends::Spread(size_t channel, double middle) const {
  if (count == 0) return 0;
  const double mean = sum[channel] / count;
  const double about_mean = std::max(0.0, squares[channel] / count - mean * mean);
  return std::sqrt(about_mean + (mean - middle) * (mean - middle));
}

const ChannelRanges::Ends* ChannelRanges::Of(const ir::Value* value) const {
  const auto found = all_.find(value);
  return found == all_.end() || !found->second.finite ? nullptr : &found->second;
}

}  // namespace tessera::compression
