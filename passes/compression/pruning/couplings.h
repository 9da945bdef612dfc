// Which entries of which axes of a network can only go together, found from what each operation
// computes: which entries of its operands an entry of its result is made of.
//
// A channel of a convolution's result goes with the row of its weights and its bias, with the same
// channel behind an activation, with that of whatever it is added to, and with the column of the
// weights that the next product multiplies it by. What goes is taken for zero there; a network
// without it computes what the network computes in which it has been set to zero in front of each
// product.
//
// The channels of a group of a convolution go with all that the group reads.
//
// Entries of inputs and outputs stay, and what takes part in anything else: several indices at once
// that are no groups (shuffled channels), maxima and means over entries, positions by number,
// operations whose definitions are code.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_COUPLINGS_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_COUPLINGS_H_

#include "ir/graph.h"
#include "passes/compression/pruning/entry_sets.h"

namespace tessera::compression {

// Tensors are values of the graph, by id; those with negative numbers are inside operations.
// `context` is the graph's.
EntrySets FindCouplings(const ir::Graph& graph, solver::Context& context);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_COUPLINGS_H_
