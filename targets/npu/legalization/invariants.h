// What the passes of legalization establish and keep; the runner checks it after each of them.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_INVARIANTS_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_INVARIANTS_H_

#include "passes/invariant.h"

namespace tessera::npu {

// No operation is a layer of the device yet: layers, memory and scales come with the plan.
const passes::Invariant& StepsOfAnySize();
// No transposition leaves the order in memory as it is, or reads another one.
const passes::Invariant& TransposesMove();
// No choice of entries takes all in their order, or reads another one.
const passes::Invariant& ChoicesChoose();
// No function of each element is computed only to be cut.
const passes::Invariant& CutsBeforeTables();

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_INVARIANTS_H_
