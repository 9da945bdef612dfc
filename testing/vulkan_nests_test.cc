#include <gtest/gtest.h>

#include "ir/registry.h"
#include "nests/library.h"
#include "support/file.h"
#include "testing/nest_tests.h"

namespace tessera::ops {
const ir::Dialect& VulkanOps();
const std::vector<OpExamples>& VulkanExamples();
absl::Span<const nests::Definition* const> VulkanNests();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::VulkanOps());
  tessera::nests::Library::Global().Add(tessera::ops::VulkanNests());
  const auto golden = tessera::support::ReadFile(argv[1]);
  tessera::testing::RegisterNestTests(tessera::ops::VulkanExamples(), golden.value_or(""));
  return RUN_ALL_TESTS();
}
