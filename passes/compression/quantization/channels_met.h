// Which channel of its data each weight of a product meets: asked of the operation itself, given
// channels that are their numbers.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHANNELS_MET_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHANNELS_MET_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/compression/quantization/plan.h"
#include "solver/expr.h"

namespace tessera::compression {

struct ChannelsMet {
  std::vector<int> channels;  // by element of the constant; -1: it meets none
  std::vector<int> results;   // by element: the product's channel that it adds to
  bool padded = false;        // zeros that are not in the data are met too
};

// `shape` is that of the data, whose `axis` numbers channels. Nullopt: an element meets several,
// the axis is not one of channels; or the operation cannot be asked.
std::optional<ChannelsMet> FindChannelsMet(const WeightSite& product,
                                           const std::vector<int64_t>& shape, int64_t axis,
                                           const solver::Assignment& assignment);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHANNELS_MET_H_
