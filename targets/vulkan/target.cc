// Vulkan as the tools see it (targets/target.h).
#include "targets/target.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/file.h"
#include "targets/size_facts.h"
#include "targets/vulkan/artifact/emit.h"
#include "targets/vulkan/build_program.h"
#include "targets/vulkan/compile.h"
#include "targets/vulkan/describe.h"
#include "targets/vulkan/open_artifact.h"
#include "targets/vulkan/options.h"
#include "targets/vulkan/program/reach.h"
#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/selection/shaders.h"
#include "targets/vulkan/tuning/choose.h"
#include "targets/vulkan/tuning/database.h"
#include "targets/vulkan/tuning/tuning.h"

namespace tessera::vulkan {
namespace {

// A profile by its name, or from a file.
absl::StatusOr<DeviceProfile> ProfileOf(const std::string& name) {
  std::vector<std::string> names;
  for (const DeviceProfile& profile : KnownProfiles()) {
    if (profile.name == (name.empty() ? kPortableProfile : name)) return profile;
    names.push_back(absl::StrCat("`", profile.name, "`"));
  }
  const absl::StatusOr<std::string> text = support::ReadFile(name);
  if (!text.ok())
    return absl::InvalidArgumentError(absl::StrCat("`", name, "` is none of ",
                                                   absl::StrJoin(names, ", "),
                                                   " and no file: ", text.status().message()));
  absl::StatusOr<std::vector<DeviceProfile>> profiles = ParseProfiles(*text, KnownProfiles());
  if (!profiles.ok())
    return absl::DataLossError(absl::StrCat("`", name, "`: ", profiles.status().message()));
  return std::move(profiles->back());
}

// A device with an instruction for products of matrices computes convolutions faster by it than
// with a quarter of the multiplications, and without what these need in memory.
bool UsesMatrices(const CompileOptions& options, const DeviceProfile& profile) {
  return options.half && profile.matrix > 0;
}

MemoryPreference MemoryPreferenceOf(const CompileOptions& options, const DeviceProfile& profile) {
  return {options.least_memory || UsesMatrices(options, profile), profile.binding_bytes};
}

UsesByStage ShadersByStage(const Program& program, Axes& axes, const DeviceProfile& profile) {
  UsesByStage uses;
  const Links links(program);
  for (size_t s = 0; s < program.stages.size(); ++s)
    uses.push_back(ShaderUses(program, links, s, axes, profile));
  return uses;
}

// `3 dispatches of kernels that are written by hand: ...`; empty: none.
std::string ShadersText(const file::Model& model) {
  std::set<std::string> names;
  size_t count = 0;
  for (const file::Dispatch* dispatch : *model.dispatches()) {
    const flatbuffers::String* shader = model.kernels()->Get(dispatch->kernel())->shader();
    if (shader == nullptr) continue;
    names.insert(shader->str());
    ++count;
  }
  return count == 0 ? ""
                    : absl::StrCat(count, " dispatches of kernels that are written by hand: ",
                                   absl::StrJoin(names, ", "));
}

class VulkanCompilation : public targets::Compilation {
 public:
  VulkanCompilation(const CompileOptions& options, DeviceProfile profile, TuneDatabase times)
      : options_(options), profile_(std::move(profile)), times_(std::move(times)) {}

  passes::Pipeline pipeline() const override {
    return VulkanPipeline(MemoryPreferenceOf(options_, profile_));
  }

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
    absl::StatusOr<Program> program = ProgramOf(graph, axes, options_.half, profile_.steps, parts_);
    if (!program.ok()) return program.status();
    program_ = *std::move(program);
    if (!options_.device_profile.empty()) settings_["device profile"] = profile_.name;
    std::optional<DeviceName> device;
    Settled settled;
    if (!options_.tune_db.empty()) {
      absl::StatusOr<DeviceName> named = DeviceOf(times_, options_.tune_device);
      if (!named.ok()) return named.status();
      device = *std::move(named);
      absl::StatusOr<Settled> several =
          ChooseSeveral(program_, ShadersByStage(program_, axes, profile_), times_, *device);
      if (!several.ok()) return several.status();
      settled = *std::move(several);
    }
    ChooseShaders(program_, axes, graph.context(), profile_, options_.least_memory, settled.apart);
    ChooseRows(program_, graph.context(), profile_);
    std::string tuned;
    if (device.has_value()) {
      const absl::StatusOr<size_t> chosen =
          ChooseKernels(program_, ShadersByStage(program_, axes, profile_), times_, *device);
      if (!chosen.ok()) return chosen.status();
      settings_["tuned for"] = device->device;
      if (settled.together > 0) tuned = absl::StrCat(settled.together, " stages together, and ");
      absl::StrAppend(&tuned, *chosen, " of ", program_.stages.size(),
                      " kernels chosen by times on `", device->device, "`");
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
    if (std::string shaders = ShadersText(*model); !shaders.empty())
      summary_.lines.push_back(std::move(shaders));
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
    serialized.runs = {absl::MakeConstSpan(*owner)};
    serialized.size = static_cast<int64_t>(owner->size());
    serialized.owner = std::move(owner);
    return serialized;
  }

  // Sums are taken in f32, in another order than the reference's.
  targets::Tolerance tolerance() const override { return {options_.half ? 2e-2 : 1e-4}; }

 private:
  CompileOptions options_;
  DeviceProfile profile_;
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
  VulkanTuning(CompileOptions options, DeviceProfile profile, TuneDatabase times)
      : options_(std::move(options)), profile_(std::move(profile)), times_(std::move(times)) {}

  passes::Pipeline pipeline() const override {
    return VulkanPipeline(MemoryPreferenceOf(options_, profile_));
  }
  absl::Status Measure(ir::Graph& graph, absl::Span<const std::vector<ir::Tensor>> inputs,
                       absl::Span<const std::string> labels, int runs,
                       const std::function<void(const std::string&)>& progress) override {
    Axes axes(graph.context());
    Parts parts;
    absl::StatusOr<Program> program = ProgramOf(graph, axes, options_.half, profile_.steps, parts);
    if (!program.ok()) return program.status();
    const UsesByStage shaders = ShadersByStage(*program, axes, profile_);
    const absl::StatusOr<Tuned> tuned =
        MeasureKernels(graph, *std::move(program), shaders, inputs, labels, runs, progress, times_);
    if (!tuned.ok()) return tuned.status();
    lines_ = {absl::StrCat(tuned->kernels, " kernels timed on `", tuned->device.device, "` (",
                           tuned->device.driver, "); ", times_.size(), " times in all")};
    return absl::OkStatus();
  }
  std::string Serialize() const override { return times_.Serialize(); }
  std::vector<std::string> Summarize() const override { return lines_; }

 private:
  CompileOptions options_;
  DeviceProfile profile_;
  TuneDatabase times_;
  std::vector<std::string> lines_;
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
    absl::StatusOr<DeviceProfile> profile = ProfileOf(options->device_profile);
    if (!profile.ok()) return profile.status();
    TuneDatabase times;
    if (!options->tune_db.empty()) {
      const absl::StatusOr<std::string> text = support::ReadFile(options->tune_db);
      if (!text.ok()) return text.status();
      absl::StatusOr<TuneDatabase> read = TuneDatabase::Parse(*text);
      if (!read.ok())
        return absl::DataLossError(
            absl::StrCat("`", options->tune_db, "`: ", read.status().message()));
      times = *std::move(read);
    }
    return std::make_unique<VulkanCompilation>(*options, *std::move(profile), std::move(times));
  }

  absl::StatusOr<std::unique_ptr<targets::Tuning>> Tune(const targets::FlagValues& flags,
                                                        std::string_view known) const override {
    const absl::StatusOr<CompileOptions> options = OptionsOf(flags);
    if (!options.ok()) return options.status();
    absl::StatusOr<DeviceProfile> profile = ProfileOf(options->device_profile);
    if (!profile.ok()) return profile.status();
    absl::StatusOr<TuneDatabase> times = TuneDatabase::Parse(known);
    if (!times.ok()) return times.status();
    return std::make_unique<VulkanTuning>(*options, *std::move(profile), *std::move(times));
  }

  bool Recognizes(std::string_view first_bytes) const override {
    return first_bytes.size() >= 8 && file::ModelBufferHasIdentifier(first_bytes.data());
  }

  absl::StatusOr<std::unique_ptr<targets::Artifact>> Open(
      absl::Span<const uint8_t> bytes, std::shared_ptr<const void> owner) const override {
    const file::Model* model = nullptr;
    const Status status = ReadArtifact({bytes.data(), bytes.size()}, model);
    if (!status.ok()) return absl::InvalidArgumentError(status.message());
    return OpenArtifact(bytes, std::move(owner), *model);
  }
};

}  // namespace

const targets::Target& TheTarget() {
  static const VulkanTarget* const target = new VulkanTarget();
  return *target;
}

}  // namespace tessera::vulkan
