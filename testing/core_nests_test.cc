#include <gtest/gtest.h>

#include "ir/registry.h"
#include "nests/library.h"
#include "support/file.h"
#include "testing/nest_tests.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
absl::Span<const nests::Definition* const> CoreNests();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CoreOps());
  tessera::nests::Library::Global().Add(tessera::ops::CoreNests());
  const auto golden = tessera::support::ReadFile(argv[1]);
  tessera::testing::RegisterNestTests(tessera::ops::CoreExamples(), golden.value_or(""));
  return RUN_ALL_TESTS();
}
