// What is true of a network at single sizes, found by running it: imported with all dims fixed, so
// that nothing symbolic takes part.
#ifndef TESSERA_TESTING_NETS_TRIAL_H_
#define TESSERA_TESTING_NETS_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"
#include "ir/tensor.h"
#include "onnx/onnx_pb.h"
#include "solver/assignment.h"
#include "solver/expr.h"

namespace tessera::testing {

// Fills the registry of ops, once.
void RegisterOps();

// `dims` as `--dim` takes them.
absl::StatusOr<onnx_import::ImportResult> Import(const onnx::ModelProto& model,
                                                 const std::vector<std::string>& dims);

// The names of the dims of the model's inputs.
std::vector<std::string> SymbolsOf(const onnx::ModelProto& model);

// `count` assignments to `symbols` or all within `most`, if those are fewer; seeded.
std::vector<solver::Assignment> Sizes(const std::vector<std::string>& symbols, int64_t most,
                                      size_t count, uint64_t seed);
using solver::ToText;

// Inputs and results at some sizes, or why there are none.
struct Trial {
  std::vector<ir::Tensor> inputs;
  absl::StatusOr<std::vector<ir::Tensor>> results;
};
Trial Try(const onnx::ModelProto& model, const solver::Assignment& sizes);

// Where the network as imported over all sizes, and run at those of `trial`, does not do the same:
// fails, or has results of other shapes or values. Empty: nowhere.
std::string Difference(const ir::Graph& graph, const Trial& trial);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NETS_TRIAL_H_
