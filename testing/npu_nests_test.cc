#include <gtest/gtest.h>

#include "ir/registry.h"
#include "nests/library.h"
#include "support/file.h"
#include "testing/nest_tests.h"

namespace tessera::ops {
const ir::Dialect& NpuOps();
const std::vector<OpExamples>& NpuExamples();
absl::Span<const nests::Definition* const> NpuNests();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::NpuOps());
  tessera::nests::Library::Global().Add(tessera::ops::NpuNests());
  const auto golden = tessera::support::ReadFile(argv[1]);
  tessera::testing::RegisterNestTests(tessera::ops::NpuExamples(), golden.value_or(""));
  return RUN_ALL_TESTS();
}
