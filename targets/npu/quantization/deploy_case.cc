#include "targets/npu/quantization/deploy_case.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "nests/library.h"
#include "support/aligned_copy.h"
#include "support/random_tensor.h"
#include "targets/npu/artifact/file.h"
#include "targets/npu/execution/executor.h"
#include "targets/npu/quantization/deploy.h"
#include "targets/reference/executor.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& NpuLayersOps();
absl::Span<const nests::Definition* const> CoreNests();
absl::Span<const nests::Definition* const> NpuLayersNests();
}  // namespace tessera::ops

namespace tessera::npu::example {
namespace {

std::vector<int64_t> ShapeOf(const ir::Value& value) {
  std::vector<int64_t> shape;
  for (const ir::Expr& dim : value.type().dims) shape.push_back(*dim.Constant());
  return shape;
}

}  // namespace

void RegisterAll() {
  static const bool once = [] {
    ir::Registry::Global().Add(ops::CoreOps());
    ir::Registry::Global().Add(ops::NpuLayersOps());
    nests::Library::Global().Add(ops::CoreNests());
    nests::Library::Global().Add(ops::NpuLayersNests());
    return true;
  }();
  static_cast<void>(once);
}

std::string Constant(int id, const std::vector<int64_t>& shape, double scale, uint64_t seed) {
  const ir::Tensor tensor = *support::RandomTensor(ir::DType::kF32, shape, seed);
  std::vector<std::string> numbers;
  for (int64_t i = 0; i < tensor.size(); ++i)
    numbers.push_back(absl::StrCat(tensor.AsDouble(i) * scale));
  return absl::StrCat("%", id, " = ir.Constant [", absl::StrJoin(numbers, ","), "] : f32[",
                      absl::StrJoin(shape, ","), "]\n");
}

absl::StatusOr<Outcome> Try(const Case& c) {
  RegisterAll();
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(c.text);
  if (!graph.ok()) return graph.status();
  Bundle bundle;
  bundle.device = c.device;
  bundle.host_states = c.states;
  const auto is_state = [&](const std::string& name) {
    for (const HostState& state : c.states) {
      if (state.input == name || state.output == name) return true;
    }
    return false;
  };
  std::vector<const ir::Value*> inputs;
  for (const ir::Value* input : (*graph)->inputs()) {
    if (is_state(input->name())) continue;
    bundle.inputs.push_back({input->name(), ir::DType::kF32, ShapeOf(*input)});
    inputs.push_back(input);
  }
  for (size_t i = 0; i < (*graph)->outputs().size(); ++i) {
    const std::string& name = (*graph)->output_names()[i];
    if (!is_state(name))
      bundle.outputs.push_back({name, ir::DType::kF32, ShapeOf(*(*graph)->outputs()[i])});
  }
  std::vector<std::vector<ir::Tensor>> samples(static_cast<size_t>(c.samples));
  for (size_t s = 0; s < samples.size(); ++s) {
    for (size_t i = 0; i < inputs.size(); ++i)
      samples[s].push_back(
          *support::RandomTensor(ir::DType::kF32, ShapeOf(*inputs[i]), 100 * s + i));
  }
  // With states the samples are one sequence.
  Bundle floats = bundle;
  size_t next = 0;
  QuantizeOptions options;
  options.device = FindDevice(c.device);
  options.int8_weights = c.int8_weights;
  options.numbers = c.numbers;
  std::vector<Misfit> misfits;
  Outcome outcome;
  absl::Status status = Deploy(
      {{graph->get(), true}},
      [&](std::vector<ir::Tensor>& inputs) -> absl::StatusOr<bool> {
        if (next == samples.size()) return false;
        inputs = samples[next++];
        return true;
      },
      options, bundle, misfits, outcome.endless);
  if (!status.ok()) return status;
  if (!misfits.empty())
    return absl::UnimplementedError(absl::StrCat(misfits[0].scope, ": ", misfits[0].reason));
  outcome.bytes = WriteArtifact(bundle);
  const support::AlignedCopy copy(outcome.bytes);
  absl::StatusOr<Bundle> read = ReadArtifact(copy.bytes);
  if (!read.ok()) return read.status();
  outcome.bundle = *read;
  EXPECT_EQ(WriteArtifact(*read), outcome.bytes);
  std::vector<double> signal(bundle.outputs.size()), noise(bundle.outputs.size());
  const absl::StatusOr<reference::Executor> reference = reference::Executor::Create(**graph);
  if (!reference.ok()) return reference.status();
  for (const std::vector<ir::Tensor>& sample : samples) {
    absl::StatusOr<Executor> device = Executor::Create(*read);
    if (!device.ok()) return device.status();
    const absl::StatusOr<std::vector<ir::Tensor>> actual = device->Run(sample);
    if (!actual.ok()) return actual.status();
    NamedValues values;
    for (size_t i = 0; i < inputs.size(); ++i) values[inputs[i]->name()] = sample[i];
    for (const HostState& state : c.states) values[state.input] = state.initial;
    std::vector<ir::Tensor> all;
    for (const ir::Value* input : (*graph)->inputs()) all.push_back(values[input->name()]);
    const absl::StatusOr<std::vector<ir::Tensor>> expected = reference->Run(all);
    if (!expected.ok()) return expected.status();
    size_t o = 0;
    for (size_t k = 0; k < expected->size(); ++k) {
      if (is_state((*graph)->output_names()[k])) continue;
      for (int64_t i = 0; i < (*expected)[k].size(); ++i) {
        const double e = (*expected)[k].AsDouble(i), d = (*actual)[o].AsDouble(i) - e;
        signal[o] += e * e;
        noise[o] += d * d;
      }
      ++o;
    }
    for (const Saturations* stage : device->saturations()) {
      if (stage == nullptr) continue;
      for (const int64_t count : stage->operations) outcome.saturations += count;
    }
  }
  for (size_t o = 0; o < signal.size(); ++o)
    outcome.snr.push_back(10 * std::log10(signal[o] / std::max(noise[o], 1e-30)));
  return outcome;
}

}  // namespace tessera::npu::example
