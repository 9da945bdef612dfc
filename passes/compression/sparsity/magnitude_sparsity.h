// The algorithm `magnitude_sparsity`: the smallest weights become zero.
#ifndef TESSERA_PASSES_COMPRESSION_SPARSITY_MAGNITUDE_SPARSITY_H_
#define TESSERA_PASSES_COMPRESSION_SPARSITY_MAGNITUDE_SPARSITY_H_

#include "passes/compression/algorithm.h"

namespace tessera::compression {

const Algorithm& MagnitudeSparsity();

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_SPARSITY_MAGNITUDE_SPARSITY_H_
