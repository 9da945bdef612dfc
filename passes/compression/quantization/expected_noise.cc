#include "passes/compression/quantization/expected_noise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "passes/compression/quantization/rounding.h"
#include "passes/compression/quantization/weight_scales.h"

namespace tessera::compression {
namespace {

constexpr double kCodes = 255, kNothing = 1e-30;
// Of the error of weights that are rounded to the nearest, what is left in results when their
// errors cancel there (weight_problem.h): about so much.
constexpr double kLeftOfWeights = 0.1;

}  // namespace

double ExpectedNoise(const std::vector<Reader>& readers, const ChannelRanges::Ends& ends,
                     const std::vector<double>& shift, const std::vector<double>& scale) {
  const size_t channels = ends.least.size();
  // A grid holds 0 whatever comes in.
  double least = 0, most = 0;
  std::vector<double> power(channels);  // of what weights meet
  for (size_t c = 0; c < channels; ++c) {
    least = std::min(least, (ends.least[c] - shift[c]) / scale[c]);
    most = std::max(most, (ends.most[c] - shift[c]) / scale[c]);
    const double spread = ends.Spread(c, shift[c]) / scale[c];
    power[c] = spread * spread;
  }
  const double step = (most - least) / kCodes;
  double noise = 0;
  for (const Reader& reader : readers) {
    const ir::Tensor& weight = *reader.site->point.value->constant();
    ir::Tensor scaled = *ir::Tensor::Allocate(ir::DType::kF32, weight.shape());
    float* w = scaled.mutable_data<float>();
    double signal = 0;
    for (size_t i = 0; i < reader.met.channels.size(); ++i) {
      const int channel = reader.met.channels[i];
      w[i] = weight.data<float>()[i];
      if (channel < 0) continue;
      const auto c = static_cast<size_t>(channel);
      const double squared = double{w[i]} * double{w[i]};
      const double spread = ends.Spread(c, 0);
      signal += squared * spread * spread;
      w[i] = static_cast<float>(double{w[i]} * scale[c]);
    }
    if (!(signal > kNothing)) continue;
    WeightScheme scheme;
    scheme.axis = reader.site->axis;
    const ir::Tensor rounded = OnGrid(scaled, ChooseWeightGrid(scaled, scheme));
    double of_reader = 0;
    for (size_t i = 0; i < reader.met.channels.size(); ++i) {
      const int channel = reader.met.channels[i];
      if (channel < 0) continue;
      const double number = double{rounded.data<float>()[i]}, error = number - double{w[i]};
      of_reader += number * number * step * step / 12 +
                   kLeftOfWeights * error * error * power[static_cast<size_t>(channel)];
    }
    noise += of_reader / signal;
  }
  return noise;
}

double ExpectedGain(const std::vector<Reader>& readers, const ChannelRanges::Ends& ends,
                    const std::vector<double>& shift, const std::vector<double>& scale) {
  const std::vector<double> none(ends.least.size(), 0), one(ends.least.size(), 1);
  const double before = ExpectedNoise(readers, ends, none, one);
  const double after = ExpectedNoise(readers, ends, shift, scale);
  return before > kNothing && after > kNothing ? 10 * std::log10(before / after) : 0;
}

}  // namespace tessera::compression
