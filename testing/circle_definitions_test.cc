#include <gtest/gtest.h>

#include "ir/registry.h"
#include "testing/definition_tests.h"

namespace tessera::ops {
const ir::Dialect& CircleOps();
const std::vector<OpExamples>& CircleExamples();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CircleOps());
  tessera::testing::RegisterDefinitionTests(tessera::ops::CircleExamples());
  return RUN_ALL_TESTS();
}
