// Lowers operations by the `lower TARGET` clauses of their definitions.
#ifndef TESSERA_PASSES_LOWER_H_
#define TESSERA_PASSES_LOWER_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/capabilities.h"
#include "ir/graph.h"
#include "passes/pass.h"

namespace tessera::passes {

// An operation that the target has no form for.
struct Refusal {
  std::string op;
  std::string scope;
  std::string reason;
  int id = -1;  // of the operation
};

// One line for each, below what is said of them all: `3 operation(s) without a form in Circle:`.
absl::Status ErrorOf(const std::vector<Refusal>& refusals, std::string_view where);

// Lowers once every operation for which `applies` holds. All that cannot be lowered is appended to
// `refusals`, and stays. A lowering may be stated in operations that are to be lowered in turn.
// `capabilities` answer what guards ask with `runs`; without them everything is held.
absl::Status LowerOnce(ir::Graph& graph, std::string_view target,
                       const std::function<bool(const ir::Operation&)>& applies,
                       PassContext& context, std::vector<Refusal>& refusals,
                       const ir::Capabilities* capabilities = nullptr);

// The same, and folds what became constant, until there is none left; what is left after some
// rounds is refused.
absl::Status Lower(ir::Graph& graph, std::string_view target,
                   const std::function<bool(const ir::Operation&)>& applies, PassContext& context,
                   std::vector<Refusal>& refusals, const ir::Capabilities* capabilities = nullptr);

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_LOWER_H_
