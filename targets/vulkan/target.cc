// Vulkan as the tools see it (targets/target.h).
#include "targets/target.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/file.h"
#include "targets/size_facts.h"
#include "targets/vulkan/access_limits.h"
#include "targets/vulkan/artifact/emit.h"
#include "targets/vulkan/compile.h"
#include "targets/vulkan/describe.h"
#include "targets/vulkan/executor.h"
#include "targets/vulkan/memory_limits.h"
#include "targets/vulkan/options.h"
#include "targets/vulkan/pipeline_cache.h"
#include "targets/vulkan/program/arrange.h"
#include "targets/vulkan/program/distribute.h"
#include "targets/vulkan/program/flatten.h"
#include "targets/vulkan/program/fuse.h"
#include "targets/vulkan/program/half.h"
#include "targets/vulkan/program/lower.h"
#include "targets/vulkan/program/reach.h"
#include "targets/vulkan/program/split.h"
#include "targets/vulkan/report.h"
#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/shader/compile.h"
#include "targets/vulkan/tuning/choose.h"
#include "targets/vulkan/tuning/database.h"
#include "targets/vulkan/tuning/tuning.h"

namespace tessera::vulkan {
namespace {

// What a certificate says of a file.
std::vector<targets::DeviceLimit> LimitsOf(const file::Model& model) {
  std::vector<targets::DeviceLimit> limits = MemoryLimits(model);
  for (targets::DeviceLimit& limit : AccessLimits(model)) limits.push_back(std::move(limit));
  return limits;
}

std::string PartsText(const Reach& reach) {
  int64_t before = 0, after = 0;
  for (const Reach::Output& output : reach.outputs) {
    before = std::max(before, output.before);
    after = std::max(after, output.after);
  }
  return absl::StrCat("by parts along `", reach.symbol, "`: at multiples of ", reach.step,
                      ", with ", before, " before and ", after, " behind what is wanted");
}

// The sizes of inputs along which parts are exact. Error: there are none.
absl::Status FindParts(const ir::Graph& graph, const Program& program, Parts& parts) {
  std::vector<std::string> reasons;
  for (const std::string& symbol : SizesOf(graph)) {
    absl::StatusOr<Reach> reach = ReachAlong(program, graph.context(), symbol);
    if (reach.ok())
      parts.along.push_back(*std::move(reach));
    else
      reasons.emplace_back(reach.status().message());
  }
  if (!parts.along.empty()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "`--arena`: no input can be run by parts: ",
      reasons.empty() ? "all of its sizes are numbers" : absl::StrJoin(reasons, "; ")));
}

absl::StatusOr<Program> ProgramOf(ir::Graph& graph, Axes& axes, bool half, Parts& parts) {
  absl::StatusOr<Program> program = LowerToProgram(graph, axes);
  if (!program.ok()) return program.status();
  if (parts.arena_limit > 0) {
    if (absl::Status status = FindParts(graph, *program, parts); !status.ok()) return status;
  }
  DistributeOverParts(*program, axes);
  Fuse(*program, axes);
  SplitAxes(*program, axes);
  FlattenElementwise(*program, axes);
  ArrangeConstants(*program);
  if (half) StoreInHalf(*program);
  return program;
}

class VulkanCompilation : public targets::Compilation {
 public:
  VulkanCompilation(const CompileOptions& options, TuneDatabase times)
      : options_(options), times_(std::move(times)) {}

  passes::Pipeline pipeline() const override { return VulkanPipeline(options_.least_memory); }

  absl::Status Emit(ir::Graph& graph,
                    const std::map<std::string, std::string>& configuration) override {
    graph_ = &graph;
    settings_ = configuration;
    // Before the kernels' own symbols are there.
    settings_[targets::kSizeFactsName] = targets::SizeFactsOf(graph, configuration);
    settings_["precision"] = options_.half ? "f16" : "f32";
    settings_["prefer"] = options_.least_memory ? "memory" : "time";
    Axes axes(graph.context());
    parts_ = {{}, options_.arena};
    absl::StatusOr<Program> program = ProgramOf(graph, axes, options_.half, parts_);
    if (!program.ok()) return program.status();
    program_ = *std::move(program);
    std::string tuned;
    if (!options_.tune_db.empty()) {
      const absl::StatusOr<DeviceName> device = DeviceOf(times_, options_.tune_device);
      if (!device.ok()) return device.status();
      const absl::StatusOr<size_t> chosen = ChooseTilings(program_, times_, *device);
      if (!chosen.ok()) return chosen.status();
      settings_["tuned for"] = device->device;
      tuned = absl::StrCat(*chosen, " of ", program_.stages.size(), " kernels chosen by times on `",
                           device->device, "`");
    }
    // Whatever can fail does so now; the file itself waits for its metadata.
    const absl::StatusOr<std::vector<uint8_t>> bytes =
        EmitProgram(graph, program_, parts_, settings_, shaders_);
    if (!bytes.ok()) return bytes.status();
    const file::Model* model = file::GetModel(bytes->data());
    summary_.counts = CountDispatches(*model);
    summary_.operators = model->dispatches()->size();
    summary_.lines = {
        absl::StrCat(model->dispatches()->size(), " dispatches of ", model->kernels()->size(),
                     " kernels"),
        absl::StrCat("arena: ", ExpressionText(*model, model->arena_bytes()), " bytes")};
    for (const Reach& reach : parts_.along) summary_.lines.push_back(PartsText(reach));
    if (!tuned.empty()) summary_.lines.push_back(std::move(tuned));
    limits_ = LimitsOf(*model);
    return absl::OkStatus();
  }

  targets::Summary Summarize() const override { return summary_; }
  std::vector<targets::DeviceLimit> Limits() const override { return limits_; }
  void SetMetadata(const std::string& name, std::string bytes) override {
    settings_[name] = std::move(bytes);
  }

  absl::StatusOr<targets::Serialized> Serialize() const override {
    Shaders shaders = shaders_;
    absl::StatusOr<std::vector<uint8_t>> bytes =
        EmitProgram(*graph_, program_, parts_, settings_, shaders);
    if (!bytes.ok()) return bytes.status();
    auto owner = std::make_shared<const std::vector<uint8_t>>(*std::move(bytes));
    targets::Serialized serialized;
    serialized.pieces = {{reinterpret_cast<const char*>(owner->data()), owner->size()}};
    serialized.size = static_cast<int64_t>(owner->size());
    serialized.owner = std::move(owner);
    return serialized;
  }

  // Sums are taken in f32, in another order than the reference's.
  targets::Tolerance tolerance() const override { return {options_.half ? 2e-2 : 1e-4}; }

 private:
  CompileOptions options_;
  TuneDatabase times_;
  ir::Graph* graph_ = nullptr;
  Program program_;
  Parts parts_;
  Shaders shaders_;
  std::map<std::string, std::string> settings_;
  targets::Summary summary_;
  std::vector<targets::DeviceLimit> limits_;
};

class VulkanTuning : public targets::Tuning {
 public:
  VulkanTuning(CompileOptions options, TuneDatabase times)
      : options_(std::move(options)), times_(std::move(times)) {}

  passes::Pipeline pipeline() const override { return VulkanPipeline(options_.least_memory); }
  absl::Status Measure(ir::Graph& graph, absl::Span<const std::vector<ir::Tensor>> inputs,
                       absl::Span<const std::string> labels, int runs,
                       const std::function<void(const std::string&)>& progress) override {
    Axes axes(graph.context());
    Parts parts;
    absl::StatusOr<Program> program = ProgramOf(graph, axes, options_.half, parts);
    if (!program.ok()) return program.status();
    const absl::StatusOr<Tuned> tuned =
        MeasureKernels(graph, *std::move(program), inputs, labels, runs, progress, times_);
    if (!tuned.ok()) return tuned.status();
    lines_ = {absl::StrCat(tuned->kernels, " kernels timed on `", tuned->device.device, "` (",
                           tuned->device.driver, "); ", times_.size(), " times in all")};
    return absl::OkStatus();
  }
  std::string Serialize() const override { return times_.Serialize(); }
  std::vector<std::string> Summarize() const override { return lines_; }

 private:
  CompileOptions options_;
  TuneDatabase times_;
  std::vector<std::string> lines_;
};

std::vector<targets::Port> PortsOf(const file::Model& model,
                                   const flatbuffers::Vector<uint32_t>& tensors) {
  std::vector<targets::Port> ports;
  for (uint32_t t : tensors) {
    const file::Tensor& tensor = *model.tensors()->Get(t);
    targets::Port port{tensor.name()->str(), static_cast<ir::DType>(tensor.dtype()), {}};
    for (uint32_t e : *tensor.dims()) {
      const file::Expression& dim = *model.expressions()->Get(e);
      port.dims.push_back(dim.operation() == file::Operation_CONSTANT ? dim.constant() : -1);
    }
    ports.push_back(std::move(port));
  }
  return ports;
}

// Who runs one size again and again waits once for kernels of that size.
constexpr int kRunsForAll = 2;

class VulkanExecutable : public targets::Executable {
 public:
  VulkanExecutable(Executor executor, const file::Model& model)
      : executor_(std::move(executor)),
        inputs_(PortsOf(model, *model.inputs())),
        outputs_(PortsOf(model, *model.outputs())) {
    executor_.SpecializeAfter(kRunsForAll);
  }

  const std::vector<targets::Port>& inputs() const override { return inputs_; }
  const std::vector<targets::Port>& outputs() const override { return outputs_; }
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs) override {
    return executor_.Run(inputs);
  }
  std::string Device() const override { return executor_.device(); }
  absl::StatusOr<std::vector<targets::StepTime>> Profile(
      absl::Span<const ir::Tensor> inputs) override {
    const auto steps = executor_.Profile(inputs);
    if (!steps.ok()) return steps.status();
    std::vector<targets::StepTime> times;
    for (const Executor::Step& step : *steps)
      times.push_back(
          {step.info.name, step.info.location, step.seconds, step.info.flops, step.info.bytes});
    return times;
  }

 private:
  Executor executor_;
  std::vector<targets::Port> inputs_, outputs_;
};

class VulkanArtifact : public targets::Artifact {
 public:
  VulkanArtifact(absl::Span<const uint8_t> bytes, std::shared_ptr<const void> owner,
                 const file::Model& model)
      : bytes_(bytes), owner_(std::move(owner)), model_(model) {
    for (const file::Setting* setting : *model.settings())
      metadata_[setting->name()->str()] = setting->value()->str();
  }

  std::vector<targets::Part> Describe(const targets::Detail& detail) const override {
    return vulkan::Describe(model_, detail);
  }
  std::string Json() const override { return JsonText(model_); }
  report::Page Report() const override { return ReportOf(model_); }
  // What the reader leaves to SPIRV-Tools.
  std::vector<targets::Finding> Check() const override {
    std::vector<targets::Finding> findings;
    for (uint32_t i = 0; i < model_.kernels()->size(); ++i) {
      const flatbuffers::Vector<uint32_t>& code = *model_.kernels()->Get(i)->code();
      const absl::Status status = ValidateSpirv({code.data(), code.size()});
      if (!status.ok())
        findings.push_back({true, absl::StrCat("kernel ", i, " ", status.message())});
    }
    return findings;
  }
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }
  std::vector<targets::DeviceLimit> Limits() const override { return LimitsOf(model_); }

  absl::StatusOr<std::unique_ptr<targets::Executable>> Load() const override {
    absl::StatusOr<Executor> executor = Executor::Create(bytes_, PipelineCache::Folder());
    if (!executor.ok()) return executor.status();
    return std::make_unique<VulkanExecutable>(*std::move(executor), model_);
  }

 private:
  absl::Span<const uint8_t> bytes_;
  std::shared_ptr<const void> owner_;
  const file::Model& model_;
  std::map<std::string, std::string> metadata_;
};

class VulkanTarget : public targets::Target {
 public:
  std::string_view name() const override { return "vulkan"; }
  std::string_view title() const override { return "Vulkan"; }
  std::string_view suffix() const override { return "tvk"; }
  std::vector<targets::Flag> flags() const override { return CompileFlags(); }
  void Register() const override { RegisterOperators(); }

  absl::StatusOr<std::unique_ptr<targets::Compilation>> Configure(
      const targets::FlagValues& flags) const override {
    const absl::StatusOr<CompileOptions> options = OptionsOf(flags);
    if (!options.ok()) return options.status();
    TuneDatabase times;
    if (!options->tune_db.empty()) {
      const absl::StatusOr<std::string> text = support::ReadFile(options->tune_db);
      if (!text.ok()) return text.status();
      absl::StatusOr<TuneDatabase> read = TuneDatabase::Parse(*text);
      if (!read.ok())
        return absl::InvalidArgumentError(
            absl::StrCat("`", options->tune_db, "`: ", read.status().message()));
      times = *std::move(read);
    }
    return std::make_unique<VulkanCompilation>(*options, std::move(times));
  }

  absl::StatusOr<std::unique_ptr<targets::Tuning>> Tune(const targets::FlagValues& flags,
                                                        std::string_view known) const override {
    const absl::StatusOr<CompileOptions> options = OptionsOf(flags);
    if (!options.ok()) return options.status();
    absl::StatusOr<TuneDatabase> times = TuneDatabase::Parse(known);
    if (!times.ok()) return times.status();
    return std::make_unique<VulkanTuning>(*options, *std::move(times));
  }

  bool Recognizes(std::string_view first_bytes) const override {
    return first_bytes.size() >= 8 && file::ModelBufferHasIdentifier(first_bytes.data());
  }

  absl::StatusOr<std::unique_ptr<targets::Artifact>> Open(
      absl::Span<const uint8_t> bytes, std::shared_ptr<const void> owner) const override {
    const file::Model* model = nullptr;
    const Status status = ReadArtifact({bytes.data(), bytes.size()}, model);
    if (!status.ok()) return absl::InvalidArgumentError(status.message());
    return std::make_unique<VulkanArtifact>(bytes, std::move(owner), *model);
  }
};

}  // namespace

const targets::Target& TheTarget() {
  static const VulkanTarget* const target = new VulkanTarget();
  return *target;
}

}  // namespace tessera::vulkan
