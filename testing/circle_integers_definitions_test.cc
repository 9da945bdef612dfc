#include <gtest/gtest.h>

#include "ir/registry.h"
#include "testing/definition_tests.h"

namespace tessera::ops {
const ir::Dialect& CircleIntegersOps();
const std::vector<OpExamples>& CircleIntegersExamples();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CircleIntegersOps());
  tessera::testing::RegisterDefinitionTests(tessera::ops::CircleIntegersExamples());
  return RUN_ALL_TESTS();
}
