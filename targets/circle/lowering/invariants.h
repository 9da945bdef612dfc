// What holds of a graph on its way to a file, from the pass on that sees to it.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_INVARIANTS_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_INVARIANTS_H_

#include "passes/invariant.h"

namespace tessera::circle {

// Inputs and outputs have element types that the format has.
const passes::Invariant& TypesOfTheFormat();
// Every operation is an operator that the format has a code for.
const passes::Invariant& Coded();
// No operand is a list of expressions: what depends on sizes is computed by operators.
const passes::Invariant& SizesComputed();
// Every output is a tensor of its own, and no input or constant.
const passes::Invariant& OutputsApart();

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_INVARIANTS_H_
