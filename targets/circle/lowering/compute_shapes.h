// Shapes that depend on the inputs' sizes, as operators.
//
// Until here a shape operand may be a list of expressions over the symbols of the graph. A file has
// no such thing: each symbol is read off the shape of an input that has it as a dim, and the
// expressions are computed from these in i32, each subexpression once.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_COMPUTE_SHAPES_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_COMPUTE_SHAPES_H_

#include "absl/status/status.h"
#include "ir/graph.h"

namespace tessera::circle {

// One unknown dim of a reshape is left to the operator, as -1. Error: a symbol that is the dim of
// no input, or a number that does not fit i32.
absl::Status ComputeShapes(ir::Graph& graph);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_COMPUTE_SHAPES_H_
