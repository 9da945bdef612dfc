// The products that read channels of which some are to go, with what they read on samples.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_CHANNEL_READERS_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_CHANNEL_READERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/compression/calibration/sample_source.h"
#include "passes/compression/pruning/channel_order.h"
#include "passes/compression/pruning/entry_sets.h"
#include "passes/compression/weights/targets.h"

namespace tessera::compression {

// Classes over the same axes: channels of the same products.
using ChannelGroup = std::vector<const EntrySets::Class*>;

// By group, in the order of its classes. What is read in another layout than it is multiplied in
// has no part in it. Errors: of running the network.
absl::StatusOr<std::vector<std::vector<ChannelReader>>> FindReaders(
    const ir::Graph& graph, const calibration::SampleSource& samples,
    const std::vector<WeightTarget>& targets, const std::vector<ChannelGroup>& groups);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_CHANNEL_READERS_H_
