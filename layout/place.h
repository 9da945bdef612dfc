// Where transposes stand. Lowerings put one before and one after each operator that wants another
// order of axes; in between, operations that commute with a transposition may run in any order of
// axes. This chooses an order for each of them so that what is moved in memory is least.
//
// An operation that runs in order p reads T(x, p) for x. Where the order of a tensor and that which
// its reader wants differ, the tensor is moved, which costs what the target says, once per order;
// constants cost nothing, since they are folded. A transposition of unit axes alone moves nothing
// and becomes a reshape. For two candidate orders the best choice is a minimum cut; candidates come
// from what fixed neighbours want, carried through whole regions, until none brings the cost down.
#ifndef TESSERA_LAYOUT_PLACE_H_
#define TESSERA_LAYOUT_PLACE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "layout/cost.h"

namespace tessera::layout {

// The operations of role transpose and reshape that are created are those of `dialect`. Returns
// whether anything changed.
absl::StatusOr<bool> PlaceTransposes(ir::Graph& graph, std::string_view dialect,
                                     const MoveCost& cost = ElementsMoved);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_PLACE_H_
