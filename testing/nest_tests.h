// What definitions compute, as data, against their kernels: generated from their examples.
#ifndef TESSERA_TESTING_NEST_TESTS_H_
#define TESSERA_TESTING_NEST_TESTS_H_

#include <string>
#include <vector>

#include "codegen/support/examples.h"

namespace tessera::testing {

// Of each example: the interpreted nests are equal to the kernel's results. Of each definition: all
// reads and writes are within their tensors. `golden` lists what is missing: the ops that have no
// nests, with the reason, and the accesses that are not proved, one per line: `DIALECT.OP REASON`.
void RegisterNestTests(const std::vector<ops::OpExamples>& definitions, const std::string& golden);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NEST_TESTS_H_
