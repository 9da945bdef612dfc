// From a network to what an artifact of the NPU holds.
#ifndef TESSERA_TARGETS_NPU_COMPILE_H_
#define TESSERA_TARGETS_NPU_COMPILE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "targets/npu/artifact/bundle.h"
#include "targets/npu/options.h"

namespace tessera::npu {

// Makes the operations that graphs of the target have, and what they compute, known.
void RegisterOperations();

// What outputs come within of the network in floats, over the elements of one sample, in dB.
double LeastSnr(const CompileOptions& options, bool drops_rounding);

struct Compiled {
  Bundle bundle;
  std::vector<std::string> remarks;  // what the user should know
  // The network rounds values to steps of its own, which the device does not.
  bool drops_rounding = false;
  // Of the first sample's output that comes least near to the network in floats, in dB.
  double snr = 0;
};

// Of a graph that LegalizationPipeline() left. Errors: what Legalize and Deploy find; an input of
// `options.scales` that there is not; neither data nor scales for all inputs.
absl::StatusOr<Compiled> Compile(ir::Graph& graph, CompileOptions options);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_COMPILE_H_
