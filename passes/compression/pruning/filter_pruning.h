// The algorithm `filter_pruning`: channels that matter least are removed from the network.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_FILTER_PRUNING_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_FILTER_PRUNING_H_

#include "passes/compression/algorithm.h"

namespace tessera::compression {

const Algorithm& FilterPruning();

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_FILTER_PRUNING_H_
