#include <gtest/gtest.h>

#include "ir/registry.h"
#include "testing/definition_tests.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& NpuLayersOps();
const std::vector<OpExamples>& NpuLayersExamples();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CoreOps());
  tessera::ir::Registry::Global().Add(tessera::ops::NpuLayersOps());
  tessera::testing::RegisterDefinitionTests(tessera::ops::NpuLayersExamples());
  return RUN_ALL_TESTS();
}
