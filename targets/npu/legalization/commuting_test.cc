// Every operation of a network on its way to the device that transposes may pass, on its examples
// in every order of their axes: one that is added is tested by its definition alone.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/registry.h"
#include "testing/commuting_tests.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& NpuLayersOps();
const std::vector<OpExamples>& CoreExamples();
const std::vector<OpExamples>& NpuLayersExamples();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CoreOps());
  tessera::ir::Registry::Global().Add(tessera::ops::NpuLayersOps());
  static const std::string movement = "core";
  tessera::testing::RegisterCommutingTests(tessera::ops::CoreExamples(), movement);
  tessera::testing::RegisterCommutingTests(tessera::ops::NpuLayersExamples(), movement);
  // OpenVINO's test of this has 247 cases, and one of whole networks 9, in both directions
  // together.
  tessera::testing::RegisterSinkingCount(256);
  return RUN_ALL_TESTS();
}
