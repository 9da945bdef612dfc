#include <gtest/gtest.h>

#include "ir/registry.h"
#include "nests/library.h"
#include "support/file.h"
#include "testing/nest_tests.h"

namespace tessera::ops {
const ir::Dialect& LanguageOps();
const std::vector<OpExamples>& LanguageExamples();
absl::Span<const nests::Definition* const> LanguageNests();
}  // namespace tessera::ops

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::LanguageOps());
  tessera::nests::Library::Global().Add(tessera::ops::LanguageNests());
  const auto golden = tessera::support::ReadFile(argv[1]);
  tessera::testing::RegisterNestTests(tessera::ops::LanguageExamples(), golden.value_or(""));
  return RUN_ALL_TESTS();
}
