#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/registry.h"
#include "testing/commuting_tests.h"

namespace tessera::ops {
const ir::Dialect& CircleOps();
const std::vector<OpExamples>& CircleExamples();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CircleOps());
  static const std::string movement = "circle";
  tessera::testing::RegisterCommutingTests(tessera::ops::CircleExamples(), movement);
  return RUN_ALL_TESTS();
}
