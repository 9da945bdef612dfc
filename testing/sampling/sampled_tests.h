// Tests that every op definition gets from samples, without anybody writing them.
#ifndef TESSERA_TESTING_SAMPLING_SAMPLED_TESTS_H_
#define TESSERA_TESTING_SAMPLING_SAMPLED_TESTS_H_

#include <string>
#include <vector>

#include "testing/sampling/checks.h"
#include "testing/sampling/instance.h"

namespace tessera::testing {

// One GoogleTest per op and check: nothing fails, and what is not reached is what `golden` has,
// lines of Findings::notes. Call before RUN_ALL_TESTS; the arguments must live until then.
void RegisterSampledTests(const std::vector<Subject>& subjects, const std::vector<Check>& checks,
                          const std::vector<std::string>& golden);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_SAMPLED_TESTS_H_
