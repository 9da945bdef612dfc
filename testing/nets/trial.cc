#include "testing/nets/trial.h"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "targets/reference/executor.h"
#include "tools/proving/discharge.h"
#include "tools/verification/comparison.h"
#include "tools/verification/sizes.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::testing {

void RegisterOps() {
  static const bool once = [] {
    ir::Registry::Global().Add(ops::CoreOps());
    return true;
  }();
  (void)once;
}

absl::StatusOr<onnx_import::ImportResult> Import(const onnx::ModelProto& model,
                                                 const std::vector<std::string>& dims) {
  auto options_of_dims = onnx_import::ParseDimOptions(dims);
  if (!options_of_dims.ok()) return options_of_dims.status();
  onnx_import::ImportOptions options;
  options.check = proving::ShapeCheck(model.graph().name());
  options.dims = *std::move(options_of_dims);
  auto bytes = std::make_shared<std::string>(model.SerializeAsString());
  return onnx_import::ImportBytes({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()},
                                  bytes, model.graph().name(), options);
}

std::vector<std::string> SymbolsOf(const onnx::ModelProto& model) {
  std::set<std::string> names;
  for (const auto& input : model.graph().input()) {
    for (const auto& dim : input.type().tensor_type().shape().dim()) {
      if (dim.has_dim_param()) names.insert(dim.dim_param());
    }
  }
  return {names.begin(), names.end()};
}

std::vector<solver::Assignment> Sizes(const std::vector<std::string>& symbols, int64_t most,
                                      size_t count, uint64_t seed) {
  size_t all = 1;
  for (size_t i = 0; i < symbols.size() && all <= count; ++i) all *= static_cast<size_t>(most);
  std::mt19937_64 random(seed);
  std::set<solver::Assignment> chosen;
  for (size_t i = 0; i < std::min(all, count); ++i) {
    solver::Assignment at;
    size_t rest = i;
    for (const std::string& symbol : symbols) {
      const auto range = static_cast<size_t>(most);
      at[symbol] = 1 + static_cast<int64_t>(all <= count ? rest % range : random() % range);
      rest /= range;
    }
    chosen.insert(std::move(at));
  }
  return {chosen.begin(), chosen.end()};
}

Trial Try(const onnx::ModelProto& model, const solver::Assignment& sizes) {
  std::vector<std::string> dims;
  for (const auto& [name, size] : sizes) dims.push_back(absl::StrCat(name, "=", size));
  const auto import = Import(model, dims);
  if (!import.ok()) return {{}, import.status()};
  const auto executor = reference::Executor::Create(*import->graph);
  if (!executor.ok()) return {{}, executor.status()};
  auto inputs = verification::RandomInputs(*import->graph, {}, 1);
  if (!inputs.ok()) return {{}, inputs.status()};
  auto results = executor->Run(*inputs);
  return {*std::move(inputs), std::move(results)};
}

std::string Difference(const ir::Graph& graph, const Trial& trial) {
  if (!trial.results.ok()) return std::string(trial.results.status().message());
  const auto executor = reference::Executor::Create(graph);
  if (!executor.ok()) return std::string(executor.status().message());
  const auto results = executor->Run(trial.inputs);
  if (!results.ok()) return std::string(results.status().message());
  for (size_t i = 0; i < results->size(); ++i) {
    const auto comparison = verification::Compare((*trial.results)[i], (*results)[i], 1e-5);
    if (!comparison.holds) return absl::StrCat("output ", i, ": ", comparison.complaint);
  }
  return "";
}

}  // namespace tessera::testing
