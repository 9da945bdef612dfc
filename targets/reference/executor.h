// Runs a graph on the CPU with the generated kernels, op by op: the oracle that everything else is
// compared with.
#ifndef TESSERA_TARGETS_REFERENCE_EXECUTOR_H_
#define TESSERA_TARGETS_REFERENCE_EXECUTOR_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/loops.h"
#include "ir/tensor.h"

namespace tessera::reference {

class Executor {
 public:
  // The graph must not change while the executor is in use. Error: Internal, an op without kernel,
  // or what `ir::FindLoops` finds.
  static absl::StatusOr<Executor> Create(const ir::Graph& graph);

  // Inputs and outputs in the graph's order. Before anything runs, the symbols are found from the
  // inputs' shapes, and checked: every dim, every declared fact, every open obligation. Tensors are
  // released after their last use. Errors: InvalidArgument for inputs that do not fit (naming
  // input, axis, values) or a constraint that does not hold (naming op, scope, constraint);
  // Internal where a result's shape is not the one that its symbolic type evaluates to;
  // ResourceExhausted where loops take more than 2^28 positions.
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs) const;
  // Shows every value as soon as it is there, constants too; those in loops at each position.
  using Observer = absl::FunctionRef<void(const ir::Value& value, const ir::Tensor& tensor)>;
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs,
                                              Observer observer) const;

  // Several runs side by side, on all cores: each operation of all of them, then the next one.
  struct Together {
    std::vector<std::vector<ir::Tensor>> outputs;  // by run
    int64_t live_bytes = 0;  // of tensors that one of them held at a time, at the most
    absl::Status status;     // of the first run that has an error
    size_t failed = 0;       // that run
  };
  // The observer, called in this thread, sees what each operation makes of the first run, then of
  // the second ...
  Together RunTogether(absl::Span<const std::vector<ir::Tensor>> inputs, Observer observer) const;

 private:
  struct Step {
    const ir::Operation* op;
    std::vector<int> released;  // ids of values that this is the last user of
  };

  explicit Executor(const ir::Graph& graph) : graph_(&graph) {}

  const ir::Graph* graph_;
  ir::LoopNest nest_;
  std::vector<Step> steps_;  // outside of loops
  int value_ids_ = 0;        // one above the largest
};

}  // namespace tessera::reference

#endif  // TESSERA_TARGETS_REFERENCE_EXECUTOR_H_
