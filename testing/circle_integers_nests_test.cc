#include <gtest/gtest.h>

#include "ir/registry.h"
#include "nests/library.h"
#include "support/file.h"
#include "testing/nest_tests.h"

namespace tessera::ops {
const ir::Dialect& CircleIntegersOps();
const std::vector<OpExamples>& CircleIntegersExamples();
absl::Span<const nests::Definition* const> CircleIntegersNests();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CircleIntegersOps());
  tessera::nests::Library::Global().Add(tessera::ops::CircleIntegersNests());
  const auto golden = tessera::support::ReadFile(argv[1]);
  tessera::testing::RegisterNestTests(tessera::ops::CircleIntegersExamples(), golden.value_or(""));
  return RUN_ALL_TESTS();
}
