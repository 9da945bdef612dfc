// The NPU as the tools see it (targets/target.h).
#include "targets/target.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "targets/npu/artifact/file.h"
#include "targets/npu/compile.h"
#include "targets/npu/describe.h"
#include "targets/npu/execution/executor.h"
#include "targets/npu/legalization/legalize.h"
#include "targets/npu/measured_scales.h"
#include "targets/npu/model/check.h"
#include "targets/npu/options.h"
#include "targets/npu/report.h"
#include "targets/size_facts.h"

namespace tessera::npu {
namespace {

// Of all stages on the device.
std::vector<targets::DeviceLimit> LimitsOf(const Bundle& bundle) {
  LimitLog log;
  for (const Stage& stage : bundle.stages) {
    if (stage.program.has_value())
      static_cast<void>(CheckModel(ModelOf(*stage.program), *FindDevice(bundle.device), &log));
  }
  std::vector<targets::DeviceLimit> limits;
  for (const MetLimit& met : log)
    limits.push_back({bundle.device, met.id, met.message, met.statement});
  return limits;
}

class NpuCompilation : public targets::Compilation {
 public:
  explicit NpuCompilation(CompileOptions options) : options_(std::move(options)) {}

  passes::Pipeline pipeline() const override {
    passes::Pipeline pipeline = {MeasuredScalesPass(options_)};
    for (passes::Pass& pass : LegalizationPipeline()) pipeline.push_back(std::move(pass));
    return pipeline;
  }

  absl::Status Emit(ir::Graph& graph,
                    const std::map<std::string, std::string>& configuration) override {
    std::string facts = targets::SizeFactsOf(graph, configuration);
    absl::StatusOr<Compiled> compiled = Compile(graph, options_);
    if (!compiled.ok()) return compiled.status();
    compiled_ = *std::move(compiled);
    compiled_.bundle.metadata[targets::kSizeFactsName] = std::move(facts);
    for (const auto& [name, value] : configuration)
      compiled_.bundle.metadata[absl::StrCat("configuration.", name)] = value;
    return absl::OkStatus();
  }

  targets::Summary Summarize() const override {
    targets::Summary summary;
    const Bundle& bundle = compiled_.bundle;
    summary.counts = CountOperations(bundle, summary.operators);
    summary.lines.push_back(absl::StrFormat("%s: %.1f %% of the multiplications on the device",
                                            bundle.device, bundle.device_share * 100));
    if (!bundle.frames.empty()) summary.lines.push_back(FramesText(bundle));
    for (std::string& line : MemoryLines(bundle)) summary.lines.push_back(std::move(line));
    for (const std::string& remark : compiled_.remarks) summary.lines.push_back(remark);
    return summary;
  }

  std::vector<targets::DeviceLimit> Limits() const override { return LimitsOf(compiled_.bundle); }

  void SetMetadata(const std::string& name, std::string bytes) override {
    compiled_.bundle.metadata[name] = std::move(bytes);
  }

  absl::StatusOr<targets::Serialized> Serialize() const override {
    auto bytes = std::make_shared<const std::string>(WriteArtifact(compiled_.bundle));
    return targets::Serialized{{*bytes}, static_cast<int64_t>(bytes->size()), bytes};
  }

  targets::Tolerance tolerance() const override {
    return {0, LeastSnr(options_, compiled_.drops_rounding)};
  }

 private:
  CompileOptions options_;
  Compiled compiled_;
};

std::vector<targets::Port> PortsOf(const std::vector<NetworkPort>& ports) {
  std::vector<targets::Port> made;
  for (const NetworkPort& port : ports) made.push_back({port.name, port.dtype, port.dims});
  return made;
}

class NpuExecutable : public targets::Executable {
 public:
  explicit NpuExecutable(Executor executor)
      : executor_(std::move(executor)),
        inputs_(PortsOf(executor_.bundle().inputs)),
        outputs_(PortsOf(executor_.bundle().outputs)) {}

  const std::vector<targets::Port>& inputs() const override { return inputs_; }
  const std::vector<targets::Port>& outputs() const override { return outputs_; }
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs) override {
    return executor_.Run(inputs);
  }
  absl::StatusOr<std::vector<ir::Tensor>> RunLast(absl::Span<const ir::Tensor> inputs) override {
    return executor_.RunLast(inputs);
  }
  bool KeepsStates() const override {
    const Bundle& bundle = executor_.bundle();
    return !bundle.frames.empty() || !bundle.host_states.empty() ||
           std::any_of(bundle.stages.begin(), bundle.stages.end(), [](const Stage& stage) {
             return stage.program.has_value() && !stage.program->states.empty();
           });
  }

  std::vector<std::string> Notes() const override {
    int64_t inputs = 0, all = 0;
    std::vector<std::string> where;
    const std::vector<const Saturations*> stages = executor_.saturations();
    for (size_t i = 0; i < stages.size(); ++i) {
      if (stages[i] == nullptr) continue;
      inputs += stages[i]->inputs;
      const Program& program = *executor_.bundle().stages[i].program;
      for (size_t k = 0; k < stages[i]->operations.size(); ++k) {
        const int64_t count = stages[i]->operations[k];
        all += count;
        if (count > 0)
          where.push_back(absl::StrCat(count, " at `", program.operations[k].note.scope, "`"));
      }
    }
    std::vector<std::string> notes = {
        absl::StrCat("saturations: ", all, where.empty() ? "" : ": ", absl::StrJoin(where, ", "))};
    if (inputs > 0)
      notes.push_back(absl::StrCat(inputs, " numbers of the inputs beyond what their scales hold"));
    return notes;
  }

 private:
  Executor executor_;
  std::vector<targets::Port> inputs_, outputs_;
};

class NpuArtifact : public targets::Artifact {
 public:
  explicit NpuArtifact(Bundle bundle) : bundle_(std::move(bundle)) {}

  std::vector<targets::Part> Describe(const targets::Detail& detail) const override {
    return npu::Describe(bundle_, detail);
  }
  report::Page Report() const override { return ReportOf(bundle_); }
  std::string Json() const override { return JsonText(bundle_); }
  std::vector<targets::DeviceLimit> Limits() const override { return LimitsOf(bundle_); }
  // What is wrong with an artifact is found when it is opened.
  std::vector<targets::Finding> Check() const override { return {}; }
  const std::map<std::string, std::string>& metadata() const override { return bundle_.metadata; }

  absl::StatusOr<std::unique_ptr<targets::Executable>> Load() const override {
    absl::StatusOr<Executor> executor = Executor::Create(bundle_);
    if (!executor.ok()) return executor.status();
    return std::make_unique<NpuExecutable>(*std::move(executor));
  }

 private:
  Bundle bundle_;
};

class NpuTarget : public targets::Target {
 public:
  std::string_view name() const override { return "npu"; }
  std::string_view title() const override { return "NPU"; }
  std::vector<targets::Flag> flags() const override { return CompileFlags(); }
  void Register() const override { RegisterOperations(); }

  absl::StatusOr<std::unique_ptr<targets::Compilation>> Configure(
      const targets::FlagValues& flags) const override {
    absl::StatusOr<CompileOptions> options = OptionsOf(flags);
    if (!options.ok()) return options.status();
    return std::make_unique<NpuCompilation>(*std::move(options));
  }

  bool Recognizes(std::string_view first_bytes) const override { return IsArtifact(first_bytes); }

  absl::StatusOr<std::unique_ptr<targets::Artifact>> Open(
      absl::Span<const uint8_t> bytes, std::shared_ptr<const void>) const override {
    absl::StatusOr<Bundle> bundle = ReadArtifact(bytes);
    if (!bundle.ok()) return bundle.status();
    return std::make_unique<NpuArtifact>(*std::move(bundle));
  }
};

}  // namespace

const targets::Target& TheTarget() {
  static const NpuTarget* const target = new NpuTarget();
  return *target;
}

}  // namespace tessera::npu
