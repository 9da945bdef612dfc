// What holds of a graph from one pass on until another that says so. Passes name what they need,
// establish and break; the runner checks it between any two of them.
#ifndef TESSERA_PASSES_INVARIANT_H_
#define TESSERA_PASSES_INVARIANT_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "ir/graph.h"

namespace tessera::passes {

struct Invariant {
  std::string name;
  std::string doc;  // a statement, as in `every operation is one of the format`
  // The error says which operation or value is against it, and how.
  std::function<absl::Status(const ir::Graph&)> check;
};

// No operation of that dialect is in the graph. One object for each dialect, which is never
// destroyed.
const Invariant& NoneOf(const std::string& dialect);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_INVARIANT_H_
