// The weights of one product of a network, chosen by what they make of its results.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_PRODUCT_WEIGHTS_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_PRODUCT_WEIGHTS_H_

#include "absl/status/statusor.h"
#include "passes/compression/quantization/fit.h"
#include "passes/compression/quantization/plan.h"
#include "passes/compression/quantization/side_by_side.h"

namespace tessera::compression {

// What weights multiply is asked of the operation itself: given unit weights, it returns that. The
// operation's exact results must be there; its rounded weights become the chosen ones. False, and
// nothing is changed: the product is too large, or its channels are no axis of its own.
absl::StatusOr<bool> ChooseByResults(const WeightSite& site, bool centered,
                                     const WeightScheme& scheme, SideBySide& sides,
                                     QuantizedWeight& weight);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_PRODUCT_WEIGHTS_H_
