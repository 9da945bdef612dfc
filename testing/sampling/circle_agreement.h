// What must hold of every instance of a core op through Circle.
#ifndef TESSERA_TESTING_SAMPLING_CIRCLE_AGREEMENT_H_
#define TESSERA_TESTING_SAMPLING_CIRCLE_AGREEMENT_H_

#include <cstdint>
#include <set>
#include <string>

#include "testing/sampling/agreement.h"
#include "testing/sampling/checks.h"
#include "testing/sampling/instance.h"

namespace tessera::testing {

// Compiled, written, read back, executed from the bytes, and compared with the reference: with the
// sizes that it has, and with one symbol for each size, so that shapes are computed at run time.
// `seen` counts the clauses of the lowering that were taken, as `clause N`, and the refusals, as
// `refused: REASON` with `N` for numbers.
std::string CheckCircle(const Subject& subject, const Instance& instance, Seen& seen);

// `circle`: the above, with notes of what is refused and of clauses that no instance takes.
const Check& CircleCheck();

// The operators in the artifacts of `count` instances.
void CollectOperators(const Subject& subject, uint64_t seed, int count,
                      std::set<std::string>& operators);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_CIRCLE_AGREEMENT_H_
