// What each channel of a value has taken from it and is multiplied by, so that one grid serves all
// of them better.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_SMOOTHER_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_SMOOTHER_H_

#include <string>
#include <vector>

#include "passes/compression/quantization/channel_ranges.h"
#include "passes/compression/quantization/expected_noise.h"

namespace tessera::compression {

struct SmoothingSettings {
  bool shift = true;
  std::string scale;                                            // `range`, `smooth_quant` or `none`
  double strength = 0.5, least_gain = 0, least_shift_gain = 4;  // dB
};

struct Smoother {
  std::vector<double> shift, scale;  // by channel
  double gain = 0;                   // dB
};

// Of scaling, shifting and both the best that gains what it is to; without scales and shifts: none.
// Another node has to be clearly better. Shifts take away what a grid has to spare beyond the ends
// that were seen, channel by channel, which inputs that were not seen may need: they have to gain
// more than scales, which leave it where channels reach least far.
Smoother ChooseSmoother(const std::vector<Reader>& readers, const ChannelRanges::Ends& ends,
                        bool may_shift, const SmoothingSettings& settings);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_SMOOTHER_H_
