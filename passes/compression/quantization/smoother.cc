#include "passes/compression/quantization/smoother.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ir/tensor.h"

namespace tessera::compression {
namespace {

// Channels that are as good as constant are not made larger than that.
constexpr double kLargestFactor = 1000;
constexpr double kNothing = 1e-30;
// Standard deviations: the ends of few elements say less than how they are spread.
constexpr double kLeastReach = 4;

std::vector<double> LargestWeights(const std::vector<Reader>& readers, size_t channels) {
  std::vector<double> largest(channels);
  for (const Reader& reader : readers) {
    const ir::Tensor& weight = *reader.site->point.value->constant();
    for (int64_t i = 0; i < weight.size(); ++i) {
      const int channel = reader.met.channels[static_cast<size_t>(i)];
      if (channel < 0) continue;
      double& so_far = largest[static_cast<size_t>(channel)];
      so_far = std::max(so_far, std::fabs(double{weight.data<float>()[i]}));
    }
  }
  return largest;
}

Smoother With(const std::vector<Reader>& readers, const ChannelRanges::Ends& ends,
              const SmoothingSettings& settings, bool shifted, bool scaled) {
  const size_t channels = ends.least.size();
  Smoother smoother;
  std::vector<double> reach;
  double farthest = 0;
  for (size_t c = 0; c < channels; ++c) {
    // As the nodes will have it.
    const float middle = shifted ? static_cast<float>((ends.least[c] + ends.most[c]) / 2) : 0;
    smoother.shift.push_back(double{middle});
    reach.push_back(std::max({std::fabs(ends.least[c] - middle), std::fabs(ends.most[c] - middle),
                              kLeastReach * ends.Spread(c, double{middle})}));
    farthest = std::max(farthest, reach.back());
  }
  const std::vector<double> weights =
      settings.scale == "smooth_quant" ? LargestWeights(readers, channels) : std::vector<double>();
  double largest = 0;
  for (size_t c = 0; c < channels; ++c) {
    double scale = 1;
    if (scaled && reach[c] > kNothing) {
      scale = std::pow(reach[c] / farthest, settings.strength);
      if (!weights.empty() && weights[c] > kNothing)
        scale /= std::pow(weights[c], 1 - settings.strength);
    }
    smoother.scale.push_back(scale);
    if (reach[c] > kNothing) largest = std::max(largest, scale);
  }
  for (double& scale : smoother.scale) {
    if (largest > 0) scale = std::clamp(scale / largest, 1 / kLargestFactor, 1.0);
  }
  smoother.gain = ExpectedGain(readers, ends, smoother.shift, smoother.scale);
  return smoother;
}

}  // namespace

Smoother ChooseSmoother(const std::vector<Reader>& readers, const ChannelRanges::Ends& ends,
                        bool may_shift, const SmoothingSettings& settings) {
  constexpr double kWorthANode = 1;  // dB
  Smoother best;
  if (settings.scale != "none") best = With(readers, ends, settings, false, true);
  if (best.gain < settings.least_gain) best = Smoother();
  if (!may_shift || !settings.shift) return best;
  Smoother shifted = With(readers, ends, settings, true, false);
  if (settings.scale != "none") {
    Smoother both = With(readers, ends, settings, true, true);
    if (both.gain > shifted.gain + kWorthANode) shifted = std::move(both);
  }
  const double least = std::max(settings.least_gain, settings.least_shift_gain);
  return shifted.gain >= least && shifted.gain > best.gain + kWorthANode ? shifted : best;
}

}  // namespace tessera::compression
