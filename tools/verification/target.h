// What `//tools:verify` needs of a target: from a graph to bytes, and from bytes and inputs to
// outputs.
#ifndef TESSERA_TOOLS_VERIFICATION_TARGET_H_
#define TESSERA_TOOLS_VERIFICATION_TARGET_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/tensor.h"

namespace tessera::verification {

class Target {
 public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;
  // The whole pipeline of the target, from an imported graph, which it may change.
  virtual absl::StatusOr<std::string> Compile(ir::Graph& graph) const = 0;
  // From the bytes alone. Inputs and outputs are in the graph's order, in its layouts and dtypes.
  virtual absl::StatusOr<std::vector<ir::Tensor>> Execute(
      std::string_view artifact, absl::Span<const ir::Tensor> inputs) const = 0;
  // The artifact's outputs against the reference's, as a PEIR.
  virtual double tolerance() const = 0;
};

// The targets that this program links, in the order in which they are listed to the user.
absl::Span<const Target* const> Targets();

// The one of that name; null if there is none.
const Target* FindTarget(std::string_view name);

}  // namespace tessera::verification

#endif  // TESSERA_TOOLS_VERIFICATION_TARGET_H_
