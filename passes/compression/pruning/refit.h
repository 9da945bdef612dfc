// The channels that stay make up for those that go: layer by layer, the weights and biases of each
// product become those that come nearest, by least squares over samples, to what the product yields
// in the whole network, from what is left to it in the pruned one.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_REFIT_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_REFIT_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/compression/builder.h"
#include "passes/compression/pruning/removal.h"
#include "passes/compression/quantization/plan.h"
#include "passes/compression/weights/targets.h"

namespace tessera::compression {

// The constants that change, of all entries, zero where they go. Of products that are linear in
// their weights in the same way at every channel; others (depthwise convolutions) keep theirs.
// Errors: of running the network; Unimplemented: it has loops.
absl::StatusOr<Constants> Refit(const BuildContext& context,
                                const std::vector<WeightTarget>& targets,
                                const std::vector<BiasSite>& biases, const Removed& removed,
                                size_t samples);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_REFIT_H_
