#include "testing/imports/node_results.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "frontends/onnx/tensor_file.h"
#include "support/aligned_copy.h"
#include "targets/reference/executor.h"
#include "tools/verification/comparison.h"
#include "tools/verification/verify.h"

namespace tessera::testing {
namespace {

absl::StatusOr<ir::Tensor> TensorOf(const onnx::TensorProto& proto) {
  const support::AlignedCopy copy(proto.SerializeAsString());
  absl::StatusOr<onnx_import::NamedTensor> named = onnx_import::ParseTensor(copy.bytes, copy.owner);
  if (!named.ok()) return named.status();
  return std::move(named->tensor);
}

// Binds what the importer asks for, one import after the other.
absl::StatusOr<onnx_import::ImportResult> ImportOf(
    const NodeTest& test, const std::map<std::string, ir::Tensor>& values) {
  const support::AlignedCopy copy(test.model.SerializeAsString());
  onnx_import::ImportOptions options;
  for (;;) {
    absl::StatusOr<onnx_import::ImportResult> result =
        onnx_import::ImportBytes(copy.bytes, copy.owner, test.name, options);
    if (result.ok()) return result;
    bool progress = false;
    for (const auto& [name, tensor] : values) {
      if (!absl::StrContains(result.status().message(), absl::StrCat("`--bind ", name, "=FILE`")) ||
          !options.bind.emplace(name, tensor).second)
        continue;
      progress = true;
    }
    if (!progress) return result;
  }
}

std::string Compare(const NodeTest& test, const std::vector<ir::Tensor>& results) {
  if (test.outputs.empty()) return "";
  if (test.outputs.size() != results.size())
    return absl::StrCat(results.size(), " outputs, expected ", test.outputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const absl::StatusOr<ir::Tensor> expected = TensorOf(test.outputs[i]);
    if (!expected.ok()) return std::string(expected.status().message());
    const verification::Comparison comparison =
        verification::Compare(*expected, results[i], verification::kReferenceTolerance);
    if (!comparison.holds) return absl::StrCat("output ", i, ": ", comparison.complaint);
  }
  return "";
}

}  // namespace

NodeResults ResultsOf(const NodeTest& test) {
  const auto failed = [](const absl::Status& status) {
    return NodeResults{std::string(status.message()), {}};
  };
  std::map<std::string, ir::Tensor> values;
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    if (!test.inputs[i].has_value()) continue;
    absl::StatusOr<ir::Tensor> tensor = TensorOf(*test.inputs[i]);
    if (!tensor.ok()) return failed(tensor.status());
    values.emplace(test.model.graph().input(static_cast<int>(i)).name(), *std::move(tensor));
  }
  absl::StatusOr<onnx_import::ImportResult> import = ImportOf(test, values);
  if (!import.ok()) return failed(import.status());
  NodeResults results;
  for (const ir::Operation* op : import->graph->TopologicalOrder())
    results.ops.insert(std::string(op->info().name));
  std::vector<ir::Tensor> inputs;
  for (const ir::Value* input : import->graph->inputs()) {
    const auto found = values.find(input->name());
    if (found == values.end()) {
      results.problem = absl::StrCat("no value for `", input->name(), "`");
      return results;
    }
    inputs.push_back(found->second);
  }
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(*import->graph);
  if (!executor.ok()) return failed(executor.status());
  const absl::StatusOr<std::vector<ir::Tensor>> outputs = executor->Run(inputs);
  if (!outputs.ok()) {
    results.problem = std::string(outputs.status().message());
    return results;
  }
  results.problem = Compare(test, *outputs);
  return results;
}

}  // namespace tessera::testing
