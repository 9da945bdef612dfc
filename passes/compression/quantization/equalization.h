// The algorithm `equalization`: channels between two products get one range each other's size.
//
// What a product makes of channel c is divided by s_c, and the weights that meet it behind are
// multiplied by s_c, so that an activation's grid, which is one for all channels, is fine enough
// for the small ones too (Nagel et al. 2019). Between them may stand what bounds, as long as it
// commutes with positive factors within the range that was seen.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_EQUALIZATION_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_EQUALIZATION_H_

#include "passes/compression/algorithm.h"

namespace tessera::compression {

const Algorithm& Equalization();

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_EQUALIZATION_H_
