#include "targets/vulkan/open_artifact.h"

#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "targets/vulkan/access_limits.h"
#include "targets/vulkan/describe.h"
#include "targets/vulkan/executor.h"
#include "targets/vulkan/memory_limits.h"
#include "targets/vulkan/pipeline_cache.h"
#include "targets/vulkan/report.h"
#include "targets/vulkan/shader/compile.h"

namespace tessera::vulkan {
namespace {

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

}  // namespace

std::vector<targets::DeviceLimit> LimitsOf(const file::Model& model) {
  std::vector<targets::DeviceLimit> limits = MemoryLimits(model);
  for (targets::DeviceLimit& limit : AccessLimits(model)) limits.push_back(std::move(limit));
  return limits;
}

std::unique_ptr<targets::Artifact> OpenArtifact(absl::Span<const uint8_t> bytes,
                                                std::shared_ptr<const void> owner,
                                                const file::Model& model) {
  return std::make_unique<VulkanArtifact>(bytes, std::move(owner), model);
}

}  // namespace tessera::vulkan
