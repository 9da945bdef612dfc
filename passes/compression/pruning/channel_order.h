// Which channels the others can stand in for.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_CHANNEL_ORDER_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_CHANNEL_ORDER_H_

#include <cstdint>
#include <vector>

#include "passes/compression/weights/grouped_rounding.h"

namespace tessera::compression {

// What a product makes of channels, as far as a choice among them needs it.
struct ChannelReader {
  Matrix covariance;  // of the channels, as it reads them
  Matrix weights;     // w^T w over all that it multiplies them by
};

// The channels in the order in which they would go, the first one first. The order is found from
// its end: next comes the one that leaves the least error in what the readers yield, each as a part
// of its own energy, if those that stay are combined by least squares in place of those that go.
// Where that leaves nothing to explain, the one of the most `worth` comes next.
std::vector<int64_t> OrderChannels(std::vector<ChannelReader> readers,
                                   const std::vector<double>& worth);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_CHANNEL_ORDER_H_
