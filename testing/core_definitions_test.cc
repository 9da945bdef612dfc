#include <gtest/gtest.h>

#include "ir/registry.h"
#include "testing/definition_tests.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CoreOps());
  tessera::testing::RegisterDefinitionTests(tessera::ops::CoreExamples());
  return RUN_ALL_TESTS();
}
