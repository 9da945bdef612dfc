// One use of an operator to try, and the file that holds it.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_PROBE_CASE_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_PROBE_CASE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "targets/circle/runtimes/use.h"

namespace tessera::circle {

struct ProbeOperand {
  bool present = true, constant = false, positive = false;
  bool whole = false;  // floats are whole numbers, of which some are equal
  std::string type;    // `T`: the case's
  std::vector<int64_t> shape;
  std::vector<int64_t> values;  // of a constant; none: seeded ones
  int64_t below = 0;            // seeded integers lie from 0 to below this; 0: some of both signs
};

struct ProbeCase {
  std::string op, type;
  std::vector<ProbeOperand> operands;
  std::vector<std::pair<std::string, std::string>> attrs;
  std::vector<std::string> forms;  // those that are forms of their own: `keep_num_dims=true`
};

// The cases of a text of lines as `probes.txt` explains them. Error: the line that is not such a
// one.
absl::StatusOr<std::vector<ProbeCase>> ParseProbes(std::string_view text);

struct ProbeFile {
  std::string circle;
  std::vector<ir::Tensor> inputs;
  Use use;
};

// kUnknownButLast: the last axis of each operand is known; kUnknownFirst: all but the first are.
enum class Sizes { kKnown, kUnknown, kUnknownButLast, kUnknownFirst };

// Error: what the definition says of it, or that sizes decide whether it is allowed.
absl::StatusOr<ProbeFile> MakeProbe(const ProbeCase& probe, Sizes sizes);

// `file` with the bytes of `graph` and the use that `op`, the only one in it, is of its operator.
absl::StatusOr<ProbeFile> Finished(const ir::Graph& graph, const ir::Operation& op, ProbeFile file);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_PROBE_CASE_H_
