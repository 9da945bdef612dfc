// The algorithm `smoothing`: what products read is shifted and scaled, channel by channel, so that
// an activation's grid, which is one for all channels, is fine enough for each.
//
// x meets weights W and a bias b as ((x - m) / s) meets W s and b + W m: the same results, whatever
// comes in. Nodes before the product subtract and multiply. (Xiao et al. 2023 scale; Wei et al.
// 2023 shift too. A grid holds 0 besides: a sigmoid between 0.4 and 0.6 has half of its codes for
// what never comes, until it is shifted.) Where zeros are padded, a shift would move the border:
// there is none.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_SMOOTHING_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_SMOOTHING_H_

#include "passes/compression/algorithm.h"

namespace tessera::compression {

const Algorithm& Smoothing();

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_SMOOTHING_H_
