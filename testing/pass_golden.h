// Golden files of passes: a graph, the passes to run on it, and the graph that comes out.
//
//   // Why this file is here.
//   // passes: fold-constants, dead-code
//   ir 1
//   ...
//   // becomes
//   ir 1
//   ...
//
// Where a pass refuses the graph, what follows is the error as comments.
#ifndef TESSERA_TESTING_PASS_GOLDEN_H_
#define TESSERA_TESTING_PASS_GOLDEN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace tessera::testing {

struct PassGolden {
  std::string head;                 // up to the line `// becomes`
  std::string expected;             // after it
  std::vector<std::string> passes;  // by name, in order
};

// Error: no `// passes:` line.
absl::StatusOr<PassGolden> ParseGolden(std::string_view text);

// The graph of `golden.head` after its passes, which the runner verifies; `shuffle_seed` as in
// `passes::RunOptions`. Error: the graph cannot be read, an unknown pass, or what a pass refused.
absl::StatusOr<std::unique_ptr<ir::Graph>> RunGolden(const PassGolden& golden,
                                                     uint64_t shuffle_seed);

// What belongs after `// becomes`.
std::string Outcome(const PassGolden& golden);

// A hash of what the outputs are computed from: equal for graphs that differ in the order of
// independent operations alone.
uint64_t StructureOf(const ir::Graph& graph);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_PASS_GOLDEN_H_
