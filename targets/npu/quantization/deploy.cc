#include "targets/npu/quantization/deploy.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/constants_file.h"
#include "ir/text.h"
#include "passes/compression/calibration/statistics.h"
#include "targets/npu/execution/frames.h"
#include "targets/reference/executor.h"

namespace tessera::npu {
namespace {

absl::Status InStage(size_t stage, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("stage ", stage, ": ", status.message()));
}

// Runs of all stages in floats, whose values are watched.
class Calibration {
 public:
  static absl::StatusOr<Calibration> Create(const std::vector<FloatStage>& stages,
                                            const Bundle& bundle) {
    Calibration calibration(stages, bundle);
    for (size_t i = 0; i < stages.size(); ++i) {
      absl::StatusOr<reference::Executor> executor = reference::Executor::Create(*stages[i].graph);
      if (!executor.ok()) return InStage(i, executor.status());
      calibration.executors_.push_back(*std::move(executor));
    }
    return calibration;
  }

  absl::Status Add(absl::Span<const ir::Tensor> inputs) {
    NamedValues states;
    for (const HostState& state : bundle_.host_states) states[state.input] = state.initial;
    StreamPosition position;
    const absl::StatusOr<std::vector<ir::Tensor>> outputs =
        ForEachFrame(bundle_, inputs, position, StreamEnd::kLast,
                     [&](NamedValues& values) { return Frame(states, values); });
    if (!outputs.ok()) return outputs.status();
    for (size_t k = 0; k < outputs->size(); ++k) {
      const std::string& name = bundle_.outputs[k].name;
      if (!of_host_.contains(name) && calibration::CountNotFinite((*outputs)[k]) > 0)
        endless_outputs_.insert(name);
    }
    return absl::OkStatus();
  }

  const calibration::Collector& collector() const { return collector_; }
  // What comes from the host and is not finite, masked with infinity, say. What the device yields
  // in its padding may be anything.
  const std::set<const ir::Value*>& endless() const { return endless_; }
  // Outputs of the network, in which there is no padding, that the device yields and that are not
  // finite.
  const std::set<std::string>& endless_outputs() const { return endless_outputs_; }

 private:
  Calibration(const std::vector<FloatStage>& stages, const Bundle& bundle)
      : stages_(stages), bundle_(bundle) {}

  absl::Status Frame(NamedValues& states, NamedValues& values) {
    for (const auto& [name, state] : states) values[name] = state;
    for (size_t i = 0; i < stages_.size(); ++i) {
      const ir::Graph& graph = *stages_[i].graph;
      std::vector<ir::Tensor> inputs;
      for (const ir::Value* input : graph.inputs()) {
        const auto found = values.find(input->name());
        if (found == values.end())
          return InStage(i,
                         absl::InternalError(absl::StrCat("nothing yields `", input->name(), "`")));
        inputs.push_back(found->second);
        if (stages_[i].on_device && of_host_.contains(input->name()) &&
            calibration::CountNotFinite(found->second) > 0)
          endless_.insert(input);
      }
      const auto see = [&](const ir::Value& value, const ir::Tensor& tensor) {
        if (stages_[i].on_device && value.constant() == nullptr) collector_.See(value, tensor);
      };
      const absl::StatusOr<std::vector<ir::Tensor>> outputs = executors_[i].Run(inputs, see);
      if (!outputs.ok()) return InStage(i, outputs.status());
      for (size_t k = 0; k < outputs->size(); ++k) {
        const std::string& name = graph.output_names()[k];
        values[name] = (*outputs)[k];
        if (!stages_[i].on_device) of_host_.insert(name);
      }
    }
    for (const HostState& state : bundle_.host_states) {
      const auto found = values.find(state.output);
      if (found == values.end())
        return absl::InternalError(absl::StrCat("nothing yields the state `", state.output, "`"));
      states[state.input] = found->second;
    }
    return absl::OkStatus();
  }

  const std::vector<FloatStage>& stages_;
  const Bundle& bundle_;
  std::vector<reference::Executor> executors_;
  std::set<std::string> of_host_;
  std::set<const ir::Value*> endless_;
  std::set<std::string> endless_outputs_;
  calibration::Collector collector_;
};

bool Has(const std::vector<ir::Value*>& values, const std::string& name) {
  return std::any_of(values.begin(), values.end(),
                     [&](const ir::Value* value) { return value->name() == name; });
}

// The states that the stage keeps by itself: nobody else reads them as inputs.
std::vector<KeptState> TakeStates(const std::vector<FloatStage>& stages, size_t stage,
                                  std::vector<HostState>& all) {
  std::vector<KeptState> kept;
  std::vector<HostState> left;
  for (HostState& state : all) {
    bool own = stages[stage].on_device;
    for (size_t i = 0; i < stages.size(); ++i)
      own = own && Has(stages[i].graph->inputs(), state.input) == (i == stage);
    const std::vector<std::string>& outputs = stages[stage].graph->output_names();
    own = own && std::find(outputs.begin(), outputs.end(), state.output) != outputs.end();
    if (own) {
      kept.push_back({state.input, state.output, state.initial});
    } else {
      left.push_back(std::move(state));
    }
  }
  all = std::move(left);
  return kept;
}

absl::Status ToHost(const ir::Graph& graph, Stage& stage) {
  stage.text = ir::Print(graph);
  std::ostringstream constants;
  if (absl::Status status = ir::WriteConstants(graph, {}, constants); !status.ok()) return status;
  stage.constants = constants.str();
  return absl::OkStatus();
}

}  // namespace

absl::Status Deploy(const std::vector<FloatStage>& stages, SampleSource samples,
                    const QuantizeOptions& options, Bundle& bundle, std::vector<Misfit>& misfits,
                    std::set<std::string>& endless) {
  absl::StatusOr<Calibration> calibration = Calibration::Create(stages, bundle);
  if (!calibration.ok()) return calibration.status();
  int64_t count = 0;
  for (;; ++count) {
    std::vector<ir::Tensor> inputs;
    const absl::StatusOr<bool> more = samples(inputs);
    if (!more.ok()) return more.status();
    if (!*more) break;
    if (absl::Status status = calibration->Add(inputs); !status.ok())
      return absl::Status(status.code(),
                          absl::StrCat("calibration, sample ", count, ": ", status.message()));
  }
  if (count == 0) return absl::InvalidArgumentError("no sample to calibrate with");
  for (const ir::Value* value : calibration->endless()) {
    for (Misfit& misfit : EndlessAt(*value)) misfits.push_back(std::move(misfit));
  }
  if (!misfits.empty()) return absl::OkStatus();
  endless = calibration->endless_outputs();
  Ranges ranges;
  for (const auto& [value, statistics] : calibration->collector().all()) {
    // What lies in padding may be anything: 1 / 0, say.
    if (statistics.elements == 0) continue;
    ranges[value] = {statistics.least, statistics.most};
  }
  for (size_t i = 0; i < stages.size(); ++i) {
    Stage& stage = bundle.stages.emplace_back();
    if (!stages[i].on_device) {
      if (absl::Status status = ToHost(*stages[i].graph, stage); !status.ok())
        return InStage(i, status);
      continue;
    }
    QuantizeOptions own = options;
    own.states = TakeStates(stages, i, bundle.host_states);
    std::vector<Misfit> found;
    absl::StatusOr<Program> program = Quantize(*stages[i].graph, ranges, own, found);
    if (!program.ok()) return InStage(i, program.status());
    misfits.insert(misfits.end(), found.begin(), found.end());
    stage.program = *std::move(program);
  }
  return absl::OkStatus();
}

}  // namespace tessera::npu
