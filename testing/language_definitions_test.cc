#include <gtest/gtest.h>

#include "ir/registry.h"
#include "testing/definition_tests.h"

namespace tessera::ops {
const ir::Dialect& LanguageOps();
const std::vector<OpExamples>& LanguageExamples();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::LanguageOps());
  tessera::testing::RegisterDefinitionTests(tessera::ops::LanguageExamples());
  return RUN_ALL_TESTS();
}
