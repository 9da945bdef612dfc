// Prints which rewrites and lowerings are proved to keep values: docs/proofs.md.
#include <iostream>

#include "ir/registry.h"
#include "nests/library.h"
#include "testing/value_table.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& CircleOps();
const std::vector<OpExamples>& CoreExamples();
const std::vector<OpExamples>& CircleExamples();
absl::Span<const nests::Definition* const> CoreNests();
absl::Span<const nests::Definition* const> CircleNests();
}  // namespace tessera::ops

int main() {
  using namespace tessera;  // NOLINT
  ir::Registry::Global().Add(ops::CoreOps());
  ir::Registry::Global().Add(ops::CircleOps());
  nests::Library::Global().Add(ops::CoreNests());
  nests::Library::Global().Add(ops::CircleNests());
  std::cout << testing::ValueTable({&ops::CoreExamples(), &ops::CircleExamples()}, "circle");
}
