// Runs what an artifact holds: programs on the emulator, graphs for the host on the reference,
// frame by frame where the network has frames.
#ifndef TESSERA_TARGETS_NPU_EXECUTION_EXECUTOR_H_
#define TESSERA_TARGETS_NPU_EXECUTION_EXECUTOR_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "targets/npu/artifact/bundle.h"
#include "targets/npu/execution/frames.h"
#include "targets/npu/program/runner.h"
#include "targets/reference/executor.h"

namespace tessera::npu {

class Executor {
 public:
  // Operations that graphs for the host mention are in the global registry. Errors: what
  // CheckProgram finds; a graph that does not parse or verify; a value that no stage before yields.
  static absl::StatusOr<Executor> Create(Bundle bundle);

  // In the order of the network's inputs and outputs. States last from one run to the next, but
  // where the last frame of a run was not full.
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs);
  // The same, and nothing follows: outputs have what still comes late, and states begin anew.
  // Without inputs, behind a run with some: what is still to come.
  absl::StatusOr<std::vector<ir::Tensor>> RunLast(absl::Span<const ir::Tensor> inputs);

  const Bundle& bundle() const { return bundle_; }
  // Of each stage; null of one for the host.
  std::vector<const Saturations*> saturations() const;

 private:
  struct Part {
    std::unique_ptr<Runner> runner;    // on the device; or else
    std::unique_ptr<ir::Graph> graph;  // for the host
    std::optional<reference::Executor> executor;
  };

  Executor() = default;
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs, StreamEnd end);
  absl::Status Frame(NamedValues& values);
  void Reset();

  Bundle bundle_;
  std::vector<Part> parts_;
  NamedValues states_;  // of the host
  StreamPosition position_;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_EXECUTION_EXECUTOR_H_
