#include "targets/npu/execution/executor.h"

#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/constants_file.h"
#include "ir/text.h"

namespace tessera::npu {
namespace {

absl::Status InStage(size_t stage, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("stage ", stage, ": ", status.message()));
}

absl::StatusOr<std::unique_ptr<ir::Graph>> GraphOf(const Stage& stage) {
  ir::ConstantSource source;
  if (!stage.constants.empty()) {
    const auto owner = std::make_shared<const std::string>(stage.constants);
    absl::StatusOr<ir::ConstantSource> constants =
        ir::ReadConstants(owner, {reinterpret_cast<const uint8_t*>(owner->data()), owner->size()});
    if (!constants.ok()) return constants.status();
    source = *std::move(constants);
  }
  absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(stage.text, source);
  if (!graph.ok()) return graph;
  if (absl::Status status = ir::Verify(**graph); !status.ok()) return status;
  return graph;
}

// What a stage reads and yields.
struct Interface {
  std::vector<std::string> inputs, outputs;
};

Interface InterfaceOf(const Stage& stage, const ir::Graph* graph) {
  Interface names;
  if (graph != nullptr) {
    for (const ir::Value* input : graph->inputs()) names.inputs.push_back(input->name());
    names.outputs = graph->output_names();
    return names;
  }
  for (const Endpoint& input : stage.program->inputs) names.inputs.push_back(input.name);
  for (const Endpoint& output : stage.program->outputs) names.outputs.push_back(output.name);
  return names;
}

}  // namespace

absl::StatusOr<Executor> Executor::Create(Bundle bundle) {
  Executor executor;
  executor.bundle_ = std::move(bundle);
  std::set<std::string> known;
  for (const NetworkPort& input : executor.bundle_.inputs) known.insert(input.name);
  for (const Gate& gate : executor.bundle_.gates) known.insert(gate.value.name);
  for (const HostState& state : executor.bundle_.host_states) {
    known.insert(state.input);
    executor.states_[state.input] = state.initial;
  }
  for (size_t i = 0; i < executor.bundle_.stages.size(); ++i) {
    const Stage& stage = executor.bundle_.stages[i];
    Part part;
    if (stage.program.has_value()) {
      absl::StatusOr<Runner> runner = Runner::Create(*stage.program);
      if (!runner.ok()) return InStage(i, runner.status());
      part.runner = std::make_unique<Runner>(*std::move(runner));
    } else {
      absl::StatusOr<std::unique_ptr<ir::Graph>> graph = GraphOf(stage);
      if (!graph.ok()) return InStage(i, graph.status());
      part.graph = *std::move(graph);
      absl::StatusOr<reference::Executor> run = reference::Executor::Create(*part.graph);
      if (!run.ok()) return InStage(i, run.status());
      part.executor = *std::move(run);
    }
    const Interface names = InterfaceOf(stage, part.graph.get());
    for (const std::string& input : names.inputs) {
      if (!known.contains(input))
        return absl::InvalidArgumentError(
            absl::StrCat("stage ", i, " reads `", input, "`, which nothing before it yields"));
    }
    known.insert(names.outputs.begin(), names.outputs.end());
    executor.parts_.push_back(std::move(part));
  }
  for (const NetworkPort& output : executor.bundle_.outputs) {
    if (!known.contains(output.name))
      return absl::InvalidArgumentError(
          absl::StrCat("no stage yields the output `", output.name, "`"));
  }
  for (const HostState& state : executor.bundle_.host_states) {
    if (!known.contains(state.output))
      return absl::InvalidArgumentError(
          absl::StrCat("no stage yields the state `", state.output, "`"));
  }
  return executor;
}

absl::Status Executor::Frame(NamedValues& values) {
  for (const auto& [name, state] : states_) values[name] = state;
  for (size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    const Interface names = InterfaceOf(bundle_.stages[i], part.graph.get());
    std::vector<ir::Tensor> inputs;
    for (const std::string& input : names.inputs) inputs.push_back(values[input]);
    const absl::StatusOr<std::vector<ir::Tensor>> outputs =
        part.runner != nullptr ? part.runner->Run(inputs) : part.executor->Run(inputs);
    if (!outputs.ok()) return InStage(i, outputs.status());
    for (size_t k = 0; k < outputs->size(); ++k) values[names.outputs[k]] = (*outputs)[k];
  }
  for (const HostState& state : bundle_.host_states) states_[state.input] = values[state.output];
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ir::Tensor>> Executor::Run(absl::Span<const ir::Tensor> inputs) {
  return Run(inputs, StreamEnd::kOpen);
}

absl::StatusOr<std::vector<ir::Tensor>> Executor::RunLast(absl::Span<const ir::Tensor> inputs) {
  return Run(inputs, StreamEnd::kLast);
}

absl::StatusOr<std::vector<ir::Tensor>> Executor::Run(absl::Span<const ir::Tensor> inputs,
                                                      StreamEnd end) {
  absl::StatusOr<std::vector<ir::Tensor>> outputs = ForEachFrame(
      bundle_, inputs, position_, end, [&](NamedValues& values) { return Frame(values); });
  if (outputs.ok() && position_.frames == 0) Reset();
  return outputs;
}

void Executor::Reset() {
  for (const HostState& state : bundle_.host_states) states_[state.input] = state.initial;
  for (Part& part : parts_) {
    if (part.runner != nullptr) part.runner->Reset();
  }
}

std::vector<const Saturations*> Executor::saturations() const {
  std::vector<const Saturations*> all;
  for (const Part& part : parts_)
    all.push_back(part.runner == nullptr ? nullptr : &part.runner->saturations());
  return all;
}

}  // namespace tessera::npu
