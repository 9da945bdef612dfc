// What rounding a product's operands is expected to make of its results, before anything is
// rounded: to judge whether other scales of channels are better ones. They are finer for
// activations, whose grid is one for all, and may be coarser for weights: weights that lie on a
// grid of their own no longer do once each input has another factor.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_EXPECTED_NOISE_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_EXPECTED_NOISE_H_

#include <vector>

#include "passes/compression/quantization/channel_ranges.h"
#include "passes/compression/quantization/channels_met.h"
#include "passes/compression/quantization/plan.h"

namespace tessera::compression {

// A product and which channels of its data its weights meet.
struct Reader {
  const WeightSite* site = nullptr;
  ChannelsMet met;
};

// The variance of the errors of all readers' results, each reader's summed over its channels and
// taken as a part of what its results are, with activations and weights of 8 bits: x_c is read as
// (x_c - shift_c) / scale_c, which weights of W scale_c meet.
double ExpectedNoise(const std::vector<Reader>& readers, const ChannelRanges::Ends& ends,
                     const std::vector<double>& shift, const std::vector<double>& scale);

// dB by which the noise falls.
double ExpectedGain(const std::vector<Reader>& readers, const ChannelRanges::Ends& ends,
                    const std::vector<double>& shift, const std::vector<double>& scale);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_EXPECTED_NOISE_H_
