// What definitions say of transposes, by transposing their examples.
#ifndef TESSERA_TESTING_COMMUTING_TESTS_H_
#define TESSERA_TESTING_COMMUTING_TESTS_H_

#include <string>
#include <vector>

#include "codegen/support/examples.h"

namespace tessera::testing {

// Tests per operation that commutes with transposes, named by it: in other orders of its axes it
// computes the same, and transpositions before and behind it go to its other side. Transposes and
// reshapes are those of `movement`; its dialect and that of the examples are registered. Both
// outlive the tests.
void RegisterCommutingTests(const std::vector<ops::OpExamples>& examples,
                            const std::string& movement);

// Registered last: the tests before it have sunk transpositions in at least so many cases in each
// of the two directions, a case being an example in an order of its axes. It prints how many.
void RegisterSinkingCount(int least);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_COMMUTING_TESTS_H_
