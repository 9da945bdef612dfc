// Vulkan as the tools see it (targets/target.h).
#include "targets/target.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/size_facts.h"
#include "targets/vulkan/artifact/emit.h"
#include "targets/vulkan/compile.h"
#include "targets/vulkan/describe.h"
#include "targets/vulkan/executor.h"
#include "targets/vulkan/program/arrange.h"
#include "targets/vulkan/program/fuse.h"
#include "targets/vulkan/program/lower.h"
#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/shader/compile.h"

namespace tessera::vulkan {
namespace {

class VulkanCompilation : public targets::Compilation {
 public:
  passes::Pipeline pipeline() const override { return VulkanPipeline(); }

  absl::Status Emit(ir::Graph& graph,
                    const std::map<std::string, std::string>& configuration) override {
    graph_ = &graph;
    settings_ = configuration;
    // Before the kernels' own symbols are there.
    settings_[targets::kSizeFactsName] = targets::SizeFactsOf(graph, configuration);
    Axes axes(graph.context());
    absl::StatusOr<Program> program = LowerToProgram(graph, axes);
    if (!program.ok()) return program.status();
    program_ = *std::move(program);
    Fuse(program_, axes);
    ArrangeConstants(program_);
    // Whatever can fail does so now; the file itself waits for its metadata.
    const absl::StatusOr<std::vector<uint8_t>> bytes =
        EmitProgram(graph, program_, settings_, shaders_);
    if (!bytes.ok()) return bytes.status();
    const file::Model* model = file::GetModel(bytes->data());
    summary_.counts = CountDispatches(*model);
    summary_.operators = model->dispatches()->size();
    summary_.lines = {
        absl::StrCat(model->dispatches()->size(), " dispatches of ", model->kernels()->size(),
                     " kernels"),
        absl::StrCat("arena: ", ExpressionText(*model, model->arena_bytes()), " bytes")};
    return absl::OkStatus();
  }

  targets::Summary Summarize() const override { return summary_; }
  void SetMetadata(const std::string& name, std::string bytes) override {
    settings_[name] = std::move(bytes);
  }

  absl::StatusOr<targets::Serialized> Serialize() const override {
    Shaders shaders = shaders_;
    absl::StatusOr<std::vector<uint8_t>> bytes = EmitProgram(*graph_, program_, settings_, shaders);
    if (!bytes.ok()) return bytes.status();
    auto owner = std::make_shared<const std::vector<uint8_t>>(*std::move(bytes));
    targets::Serialized serialized;
    serialized.pieces = {{reinterpret_cast<const char*>(owner->data()), owner->size()}};
    serialized.size = static_cast<int64_t>(owner->size());
    serialized.owner = std::move(owner);
    return serialized;
  }

  // Sums are taken in f32, in another order than the reference's.
  targets::Tolerance tolerance() const override { return {1e-4}; }

 private:
  ir::Graph* graph_ = nullptr;
  Program program_;
  Shaders shaders_;
  std::map<std::string, std::string> settings_;
  targets::Summary summary_;
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

class VulkanExecutable : public targets::Executable {
 public:
  VulkanExecutable(Executor executor, const file::Model& model)
      : executor_(std::move(executor)),
        inputs_(PortsOf(model, *model.inputs())),
        outputs_(PortsOf(model, *model.outputs())) {}

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
      times.push_back({step.info.name, step.info.location, step.seconds, step.info.flops,
                       step.info.bytes});
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

  absl::StatusOr<std::unique_ptr<targets::Executable>> Load() const override {
    absl::StatusOr<Executor> executor = Executor::Create(bytes_);
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
  void Register() const override { RegisterOperators(); }

  absl::StatusOr<std::unique_ptr<targets::Compilation>> Configure(
      const targets::FlagValues&) const override {
    return std::make_unique<VulkanCompilation>();
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
