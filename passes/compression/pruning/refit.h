// The channels that stay make up for those that go: layer by layer, the weights and biases of each
// product become those that come nearest, over samples, to what the product yields in the whole
// network, from what is left to it in the pruned one.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_REFIT_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_REFIT_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/compression/builder.h"
#include "passes/compression/pruning/removal.h"
#include "passes/compression/quantization/plan.h"
#include "passes/compression/weights/targets.h"

namespace tessera::compression {

struct RefitOptions {
  bool weights = true;  // by least squares
  // Each channel's mean and variance become those that it has in the whole network: of products
  // that lose inputs and cannot be refitted, or of all where none is.
  bool statistics = true;
  size_t samples = 64;
};

struct FittedConstants {
  Constants constants;  // those that change, of all entries, zero where they go
  // Terms: what the node at a point alone adds there, without entries that go; where it leaves the
  // operand out, too.
  std::vector<std::pair<Point, ir::Tensor>> terms;
};

// Errors: of running the network; Unimplemented: it has loops.
absl::StatusOr<FittedConstants> Refit(const BuildContext& context,
                                      const std::vector<WeightTarget>& targets,
                                      const std::vector<BiasSite>& biases, const Removed& removed,
                                      const RefitOptions& options);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_REFIT_H_
