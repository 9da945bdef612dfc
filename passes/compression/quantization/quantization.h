// The algorithm `quantization`: activations and weights of products on integer grids.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_QUANTIZATION_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_QUANTIZATION_H_

#include "passes/compression/algorithm.h"

namespace tessera::compression {

const Algorithm& Quantization();

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_QUANTIZATION_H_
