// Passes that bring transpositions and cuts to where they cost nothing.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_MOVEMENT_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_MOVEMENT_H_

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

namespace tessera::npu {

// The same operation on `data`, the one operand that is no number, which becomes its result.
absl::Status Recreate(const ir::Operation& like, ir::Rewriter& rewriter, ir::Value*& data);

// Weights take any order of elements (a rewrite of theirs), so a transposition that tables stand
// behind goes behind these, if weighted sums of all elements follow.
absl::StatusOr<passes::PassResult> SinkToWeights(ir::Graph& graph, passes::PassContext& context);

// A choice of neighbouring entries of an axis that is not the last one becomes a part, one of
// single entries that are joined another join.
absl::StatusOr<passes::PassResult> PartNeighbours(ir::Graph& graph, passes::PassContext& context);

// A mean of all columns behind a transposition is one of rows, which takes its place.
absl::StatusOr<passes::PassResult> MeansOfRows(ir::Graph& graph, passes::PassContext& context);

// What is cut out of a table's result, and read nowhere else, is cut out of what the table reads:
// of weighted sums that is some of the rows.
absl::StatusOr<passes::PassResult> CutEarly(ir::Graph& graph, passes::PassContext& context);

// Channels of several convolutions of one image, with equal tables, beside each other are those of
// one convolution: the device has no place to put them so. Smaller filters get zeros around them.
absl::StatusOr<passes::PassResult> JoinFilters(ir::Graph& graph, passes::PassContext& context);

// A choice of entries of the last axis goes into the weights that come before or behind it, past
// what treats each entry alike, or to the inputs of the network; where it would reach neither it
// stays.
absl::StatusOr<passes::PassResult> SinkGathers(ir::Graph& graph, passes::PassContext& context);

// Where a choice of entries stood between transpositions, or left an axis of one entry, these are
// one, a view, or nothing.
absl::StatusOr<passes::PassResult> SettleTransposes(ir::Graph& graph, passes::PassContext& context);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_MOVEMENT_H_
