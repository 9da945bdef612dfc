#include "targets/npu/legalization/run_plan.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::npu {
namespace {

std::vector<FramedValue> Framed(const std::vector<FrameAxis>& axes) {
  std::vector<FramedValue> framed;
  for (const FrameAxis& axis : axes)
    framed.push_back({axis.name, static_cast<int>(axis.axis), axis.entries, axis.delay, axis.stride,
                      axis.offset});
  return framed;
}

}  // namespace

absl::StatusOr<PlanRunner> PlanRunner::Create(const Plan& plan,
                                              absl::Span<const ir::Tensor> inputs) {
  if (inputs.size() != plan.inputs.size())
    return absl::InvalidArgumentError(absl::StrCat(inputs.size(), " inputs"));
  PlanRunner runner(plan);
  for (const Stretch& stretch : plan.stretches) {
    absl::StatusOr<reference::Executor> executor = reference::Executor::Create(*stretch.graph);
    if (!executor.ok()) return executor.status();
    runner.executors_.push_back(*std::move(executor));
  }
  Bundle& bundle = runner.bundle_;
  bundle.frames = plan.frames;
  bundle.frame_inputs = Framed(plan.frame_inputs);
  bundle.frame_outputs = Framed(plan.frame_outputs);
  for (const FrameGate& gate : plan.gates)
    bundle.gates.push_back({Framed({gate.axis})[0], gate.shape, gate.kind, gate.window});
  for (size_t i = 0; i < inputs.size(); ++i) {
    NetworkPort port = {plan.inputs[i], inputs[i].dtype(), inputs[i].shape()};
    for (const FrameAxis& axis : plan.frame_inputs) {
      if (axis.name == port.name) port.dims[static_cast<size_t>(axis.axis)] = -1;
    }
    bundle.inputs.push_back(std::move(port));
  }
  for (const std::string& name : plan.outputs) bundle.outputs.push_back({name, {}, {}});
  for (const State& state : plan.states) runner.states_[state.input] = state.initial;
  return runner;
}

absl::Status PlanRunner::Frame(NamedValues& values) {
  for (const auto& [name, state] : states_) values[name] = state;
  for (size_t s = 0; s < executors_.size(); ++s) {
    const ir::Graph& graph = *plan_->stretches[s].graph;
    std::vector<ir::Tensor> operands;
    for (const ir::Value* input : graph.inputs()) {
      const auto found = values.find(input->name());
      if (found == values.end())
        return absl::InternalError(absl::StrCat("nothing yields `", input->name(), "`"));
      operands.push_back(found->second);
    }
    absl::StatusOr<std::vector<ir::Tensor>> results = executors_[s].Run(operands);
    if (!results.ok()) return results.status();
    for (size_t i = 0; i < results->size(); ++i)
      values[graph.output_names()[i]] = std::move((*results)[i]);
  }
  for (const State& state : plan_->states) {
    const auto found = values.find(state.output);
    if (found == values.end())
      return absl::InternalError(absl::StrCat("nothing yields the state `", state.output, "`"));
    states_[state.input] = found->second;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ir::Tensor>> PlanRunner::Run(absl::Span<const ir::Tensor> inputs) {
  return ForEachFrame(bundle_, inputs, position_, StreamEnd::kOpen,
                      [&](NamedValues& values) { return Frame(values); });
}

absl::StatusOr<std::vector<ir::Tensor>> PlanRunner::RunLast(absl::Span<const ir::Tensor> inputs) {
  return ForEachFrame(bundle_, inputs, position_, StreamEnd::kLast,
                      [&](NamedValues& values) { return Frame(values); });
}

absl::StatusOr<std::vector<ir::Tensor>> RunPlan(const Plan& plan,
                                                absl::Span<const ir::Tensor> inputs) {
  absl::StatusOr<PlanRunner> runner = PlanRunner::Create(plan, inputs);
  if (!runner.ok()) return runner.status();
  return runner->RunLast(inputs);
}

}  // namespace tessera::npu
