// What a lowering makes of an op has the op's values: the terms themselves, as the reference
// executes them. Artifacts are looked at elsewhere (circle_agreement.h); this says of all targets
// what their lowerings mean, and of operators what they are written as where a place has none.
#ifndef TESSERA_TESTING_SAMPLING_LOWERED_AGREEMENT_H_
#define TESSERA_TESTING_SAMPLING_LOWERED_AGREEMENT_H_

#include "testing/sampling/checks.h"

namespace tessera::testing {

// Dialects of all targets that the lowerings name have to be in the registry.
const Check& LoweredCheck();

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_LOWERED_AGREEMENT_H_
