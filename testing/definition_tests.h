// Tests that every op definition gets without anybody writing them: examples, rejects, agreement of
// the domains, folding, text, rewrites.
#ifndef TESSERA_TESTING_DEFINITION_TESTS_H_
#define TESSERA_TESTING_DEFINITION_TESTS_H_

#include <vector>

#include "codegen/support/examples.h"

namespace tessera::testing {

// Registers one GoogleTest per example, reject and rewrite; call before RUN_ALL_TESTS. The ops must
// be in the registry.
void RegisterDefinitionTests(const std::vector<ops::OpExamples>& definitions);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_DEFINITION_TESTS_H_
