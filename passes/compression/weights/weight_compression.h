// The algorithm `weight_compression`: weights alone in 8, 4 or 2 bits, computed with as floats.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_WEIGHT_COMPRESSION_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_WEIGHT_COMPRESSION_H_

#include "passes/compression/algorithm.h"

namespace tessera::compression {

const Algorithm& WeightCompression();

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_WEIGHT_COMPRESSION_H_
