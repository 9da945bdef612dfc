#include <gtest/gtest.h>

#include "ir/registry.h"
#include "testing/definition_tests.h"

namespace tessera::ops {
const ir::Dialect& NpuOps();
const std::vector<OpExamples>& NpuExamples();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::NpuOps());
  tessera::testing::RegisterDefinitionTests(tessera::ops::NpuExamples());
  return RUN_ALL_TESTS();
}
