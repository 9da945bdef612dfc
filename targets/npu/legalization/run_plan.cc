#include "targets/npu/legalization/run_plan.h"

#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/reference/executor.h"

namespace tessera::npu {
namespace {

const FrameAxis* Find(const std::vector<FrameAxis>& axes, const std::string& name) {
  for (const FrameAxis& axis : axes) {
    if (axis.name == name) return &axis;
  }
  return nullptr;
}

// Copies entry `at` along the axis between a tensor of all frames and one of a single frame.
void CopyFrame(ir::Tensor& all, ir::Tensor& one, int64_t axis, int64_t at, bool out) {
  const std::vector<int64_t>& shape = all.shape();
  const int64_t width = static_cast<int64_t>(ir::SizeOf(all.dtype()));
  int64_t outer = 1, inner = width;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (static_cast<int64_t>(d) < axis) outer *= shape[d];
    if (static_cast<int64_t>(d) > axis) inner *= shape[d];
  }
  const int64_t length = shape[static_cast<size_t>(axis)];
  auto* of_all = const_cast<uint8_t*>(all.bytes().data());
  auto* of_one = const_cast<uint8_t*>(one.bytes().data());
  for (int64_t o = 0; o < outer; ++o) {
    uint8_t* a = of_all + (o * length + at) * inner;
    uint8_t* b = of_one + o * inner;
    std::memcpy(out ? a : b, out ? b : a, static_cast<size_t>(inner));
  }
}

}  // namespace

absl::StatusOr<std::vector<ir::Tensor>> RunPlan(const Plan& plan,
                                                absl::Span<const ir::Tensor> inputs) {
  if (inputs.size() != plan.inputs.size())
    return absl::InvalidArgumentError(absl::StrCat(inputs.size(), " inputs"));
  std::vector<reference::Executor> executors;
  for (const Stretch& stretch : plan.stretches) {
    absl::StatusOr<reference::Executor> executor = reference::Executor::Create(*stretch.graph);
    if (!executor.ok()) return executor.status();
    executors.push_back(*std::move(executor));
  }
  int64_t frames = 1;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (const FrameAxis* axis = Find(plan.frame_inputs, plan.inputs[i]); axis != nullptr)
      frames = inputs[i].shape()[static_cast<size_t>(axis->axis)];
  }
  std::map<std::string, ir::Tensor> states;
  for (const State& state : plan.states) states[state.input] = state.initial;
  std::vector<ir::Tensor> outputs(plan.outputs.size());
  for (int64_t frame = 0; frame < frames; ++frame) {
    std::map<std::string, ir::Tensor> values = states;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const FrameAxis* axis = Find(plan.frame_inputs, plan.inputs[i]);
      ir::Tensor value = inputs[i];
      if (axis != nullptr) {
        std::vector<int64_t> shape = value.shape();
        shape[static_cast<size_t>(axis->axis)] = 1;
        absl::StatusOr<ir::Tensor> one = ir::Tensor::Allocate(value.dtype(), std::move(shape));
        if (!one.ok()) return one.status();
        CopyFrame(value, *one, axis->axis, frame, false);
        value = *std::move(one);
      }
      values[plan.inputs[i]] = std::move(value);
    }
    for (size_t s = 0; s < executors.size(); ++s) {
      const ir::Graph& graph = *plan.stretches[s].graph;
      std::vector<ir::Tensor> operands;
      for (const ir::Value* input : graph.inputs()) operands.push_back(values.at(input->name()));
      absl::StatusOr<std::vector<ir::Tensor>> results = executors[s].Run(operands);
      if (!results.ok()) return results.status();
      for (size_t i = 0; i < results->size(); ++i)
        values[graph.output_names()[i]] = std::move((*results)[i]);
    }
    for (const State& state : plan.states) states[state.input] = values.at(state.output);
    for (size_t i = 0; i < outputs.size(); ++i) {
      ir::Tensor& value = values.at(plan.outputs[i]);
      const FrameAxis* axis = Find(plan.frame_outputs, plan.outputs[i]);
      if (axis == nullptr) {
        outputs[i] = value;
        continue;
      }
      if (frame == 0) {
        std::vector<int64_t> shape = value.shape();
        shape[static_cast<size_t>(axis->axis)] = frames;
        absl::StatusOr<ir::Tensor> all = ir::Tensor::Allocate(value.dtype(), std::move(shape));
        if (!all.ok()) return all.status();
        outputs[i] = *std::move(all);
      }
      CopyFrame(outputs[i], value, axis->axis, frame, true);
    }
  }
  return outputs;
}

}  // namespace tessera::npu
