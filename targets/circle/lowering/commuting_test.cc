#include <gtest/gtest.h>

#include "ir/registry.h"
#include "targets/circle/lowering/commuting_for_test.h"

namespace tessera::ops {
const ir::Dialect& CircleOps();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CircleOps());
  tessera::circle::RegisterCommutingTests();
  return RUN_ALL_TESTS();
}
