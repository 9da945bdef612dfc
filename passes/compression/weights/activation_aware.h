// The algorithm `awq`: before weights are stored in few bits, those that meet large inputs are made
// larger, so that rounding takes less of them (activation-aware weight quantization: Lin et al.,
// 2023), and what makes the inputs makes up for it.
#ifndef TESSERA_PASSES_COMPRESSION_WEIGHTS_ACTIVATION_AWARE_H_
#define TESSERA_PASSES_COMPRESSION_WEIGHTS_ACTIVATION_AWARE_H_

#include "passes/compression/algorithm.h"

namespace tessera::compression {

const Algorithm& ActivationAware();

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_WEIGHTS_ACTIVATION_AWARE_H_
