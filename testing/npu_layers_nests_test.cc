#include <gtest/gtest.h>

#include "ir/registry.h"
#include "nests/library.h"
#include "support/file.h"
#include "testing/nest_tests.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& NpuLayersOps();
const std::vector<OpExamples>& NpuLayersExamples();
absl::Span<const nests::Definition* const> CoreNests();
absl::Span<const nests::Definition* const> NpuLayersNests();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CoreOps());
  tessera::ir::Registry::Global().Add(tessera::ops::NpuLayersOps());
  tessera::nests::Library::Global().Add(tessera::ops::CoreNests());
  tessera::nests::Library::Global().Add(tessera::ops::NpuLayersNests());
  const auto golden = tessera::support::ReadFile(argv[1]);
  tessera::testing::RegisterNestTests(tessera::ops::NpuLayersExamples(), golden.value_or(""));
  return RUN_ALL_TESTS();
}
