// What definitions say of transposes, by transposing their examples.
#ifndef TESSERA_TESTING_COMMUTING_TESTS_H_
#define TESSERA_TESTING_COMMUTING_TESTS_H_

#include <string>
#include <vector>

#include "codegen/support/examples.h"

namespace tessera::testing {

// A test per operation that commutes with transposes, named by it. Transposes and reshapes are
// those of `movement`; its dialect and that of the examples are registered. Both outlive the tests.
void RegisterCommutingTests(const std::vector<ops::OpExamples>& examples,
                            const std::string& movement);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_COMMUTING_TESTS_H_
