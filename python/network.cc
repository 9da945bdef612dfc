#include "python/network.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "frontends/onnx/import.h"
#include "ir/graph.h"
#include "python/imports.h"
#include "python/status.h"
#include "python/tensors.h"
#include "support/mapped_file.h"
#include "targets/reference/executor.h"
#include "tools/cli/assumptions.h"
#include "tools/cli/import_model.h"
#include "tools/proving/discharge.h"
#include "tools/run_inputs.h"
#include "tools/verification/sizes.h"

namespace tessera::python {

namespace py = pybind11;

namespace {

struct Network {
  onnx_import::ImportResult import;
  std::optional<reference::Executor> executor;
  std::vector<std::string> assumptions;
};

absl::StatusOr<std::shared_ptr<Network>> Read(const std::string& path,
                                              onnx_import::ImportOptions& options) {
  options.check = proving::ShapeCheck(path);
  absl::StatusOr<onnx_import::ImportResult> import = cli::ImportModel(path, options);
  if (!import.ok()) return import.status();
  auto network = std::make_shared<Network>();
  network->import = *std::move(import);
  network->assumptions = cli::Assumptions(network->import, options);
  absl::StatusOr<reference::Executor> executor =
      reference::Executor::Create(*network->import.graph);
  if (!executor.ok()) return executor.status();
  network->executor = *std::move(executor);
  return network;
}

py::list Inputs(const Network& network) {
  py::list list;
  for (const Input& input : InputsOf(*network.import.graph)) {
    py::list shape, names;
    for (size_t axis = 0; axis < input.sizes.size(); ++axis) {
      shape.append(input.sizes[axis].value_or(-1));
      names.append(Text(input.dims[axis]));
    }
    list.append(py::make_tuple(Text(input.name), std::string(ir::NameOf(input.dtype)),
                               py::tuple(shape), py::tuple(names)));
  }
  return list;
}

py::list Run(const Network& network, const py::sequence& arrays) {
  const std::vector<ir::Tensor> inputs = FromBuffers(arrays);
  absl::StatusOr<std::vector<ir::Tensor>> outputs;
  absl::Status unchanged;
  {
    const py::gil_scoped_release unlocked;
    outputs = network.executor->Run(inputs);
    unchanged = support::CheckUnchanged(network.import.files);
  }
  Check(unchanged);
  py::list list;
  for (ir::Tensor& tensor : ValueOf(std::move(outputs))) list.append(ToBuffer(std::move(tensor)));
  return list;
}

// Seeded inputs of as many sizes as there are, up to `count`.
py::list RandomInputs(const Network& network, size_t count, uint64_t seed) {
  py::list sets;
  const ir::Graph& graph = *network.import.graph;
  for (const solver::Assignment& sizes : verification::ChooseSizes(graph, count, seed)) {
    py::list inputs;
    for (ir::Tensor& tensor : ValueOf(verification::RandomInputs(graph, sizes, seed)))
      inputs.append(ToBuffer(std::move(tensor)));
    sets.append(inputs);
  }
  return sets;
}

}  // namespace

void DefineNetwork(py::module_& module) {
  py::class_<Network, std::shared_ptr<Network>>(module, "Network")
      .def(py::init([](const std::string& path, const py::dict& given) {
        Imports imports = ReadImports(given);
        absl::StatusOr<std::shared_ptr<Network>> network;
        {
          const py::gil_scoped_release unlocked;
          network = Read(path, imports.options);
        }
        return ValueOf(std::move(network));
      }))
      .def_property_readonly("inputs", &Inputs)
      .def_property_readonly("outputs",
                             [](const Network& n) { return Texts(n.import.graph->output_names()); })
      .def_property_readonly("assumptions", [](const Network& n) { return Texts(n.assumptions); })
      .def("run", &Run)
      .def("random_inputs", &RandomInputs);
}

}  // namespace tessera::python
