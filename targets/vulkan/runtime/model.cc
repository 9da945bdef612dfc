#include "targets/vulkan/runtime/model.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "targets/vulkan/runtime/structure.h"

namespace tessera::vulkan {
namespace {

struct NamedFeature {
  uint32_t bit;
  const char* name;
};
constexpr NamedFeature kFeatures[] = {
    {TVK_INT8, "shaderInt8"},
    {TVK_INT16, "shaderInt16"},
    {TVK_INT64, "shaderInt64"},
    {TVK_FLOAT16, "shaderFloat16"},
    {TVK_FLOAT64, "shaderFloat64"},
    {TVK_STORAGE8, "storageBuffer8BitAccess"},
    {TVK_STORAGE16, "storageBuffer16BitAccess"},
    {TVK_COOPERATIVE_MATRIX, "cooperativeMatrix (16x16x16, f16, subgroups of 32)"},
};

}  // namespace

Status Model::Load(Device& device, std::span<const uint8_t> bytes, std::span<const uint8_t> cache,
                   std::unique_ptr<Model>& model) {
  std::unique_ptr<Model> loaded(new Model(device));
  loaded->bytes_.resize((bytes.size() + 7) / 8);
  std::memcpy(loaded->bytes_.data(), bytes.data(), bytes.size());
  Status status = ReadArtifact(
      {reinterpret_cast<const uint8_t*>(loaded->bytes_.data()), bytes.size()}, loaded->file_);
  if (status.ok()) status = loaded->CheckDevice();
  if (!status.ok()) return status;
  auto info = Structure<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO);
  if (device.MadeCache(cache)) {
    info.initialDataSize = cache.size();
    info.pInitialData = cache.data();
  }
  VkResult result = vkCreatePipelineCache(device.handle(), &info, nullptr, &loaded->cache_);
  if (result != VK_SUCCESS) return StatusOf(result, "a pipeline cache");
  loaded->pipelines_.resize(loaded->file_->kernels()->size());
  for (uint32_t i = 0; i < loaded->pipelines_.size() && status.ok(); ++i)
    status = loaded->CreatePipeline(*loaded->file_->kernels()->Get(i), loaded->pipelines_[i]);
  if (status.ok()) status = loaded->Upload();
  if (status.ok()) model = std::move(loaded);
  return status;
}

Status Model::CheckDevice() const {
  const uint32_t needed = static_cast<uint32_t>(file_->features());
  for (const NamedFeature& feature : kFeatures) {
    if ((needed & ~device_.features() & feature.bit) != 0)
      return {TVK_UNSUPPORTED, "the model needs `" + std::string(feature.name) +
                                   "`, which device `" + device_.name() + "` does not have"};
  }
  const VkPhysicalDeviceLimits& limits = device_.limits();
  for (const file::Kernel* kernel : *file_->kernels()) {
    const uint32_t buffers = kernel->bindings() + (kernel->checks() ? 1 : 0);
    const uint32_t most =
        std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers);
    if (buffers > most)
      return {TVK_UNSUPPORTED, "a kernel of the model binds " + std::to_string(buffers) +
                                   " buffers, device `" + device_.name() + "` takes " +
                                   std::to_string(most)};
    const uint32_t texels = kernel->texels()->size() + kernel->quads()->size();
    const uint32_t most_texels =
        std::min(limits.maxPerStageDescriptorSampledImages, limits.maxDescriptorSetSampledImages);
    if (texels > most_texels)
      return {TVK_UNSUPPORTED, "a kernel of the model binds " + std::to_string(texels) +
                                   " texel buffers, device `" + device_.name() + "` takes " +
                                   std::to_string(most_texels)};
    if (kernel->workgroup() > limits.maxComputeWorkGroupInvocations ||
        kernel->workgroup() > limits.maxComputeWorkGroupSize[0])
      return {TVK_UNSUPPORTED, "a kernel of the model runs " + std::to_string(kernel->workgroup()) +
                                   " invocations at once, device `" + device_.name() + "` " +
                                   std::to_string(limits.maxComputeWorkGroupInvocations)};
    if (kernel->shared_bytes() > limits.maxComputeSharedMemorySize)
      return {TVK_UNSUPPORTED, "a kernel of the model shares " +
                                   std::to_string(kernel->shared_bytes()) +
                                   " bytes among its invocations, device `" + device_.name() +
                                   "` " + std::to_string(limits.maxComputeSharedMemorySize)};
  }
  return {};
}

Status Model::CreatePipeline(const file::Kernel& kernel, Pipeline& pipeline) {
  auto code = Structure<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  code.codeSize = kernel.code()->size() * sizeof(uint32_t);
  code.pCode = kernel.code()->data();
  VkResult result = vkCreateShaderModule(device_.handle(), &code, nullptr, &pipeline.module);
  if (result != VK_SUCCESS) return StatusOf(result, "a kernel");

  std::vector<VkDescriptorSetLayoutBinding> bindings;
  const auto bind = [&](uint32_t number, VkDescriptorType type) {
    bindings.push_back({number, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  };
  if (kernel.parameters() > 0) bind(0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
  for (uint32_t i = 1; i <= kernel.bindings() + (kernel.checks() ? 1 : 0); ++i)
    bind(i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
  for (uint32_t number : *kernel.texels())
    bind(kTexelBinding + number, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER);
  for (uint32_t number : *kernel.quads())
    bind(kQuadBinding + number, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER);
  auto set = Structure<VkDescriptorSetLayoutCreateInfo>(
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set.bindingCount = static_cast<uint32_t>(bindings.size());
  set.pBindings = bindings.data();
  result = vkCreateDescriptorSetLayout(device_.handle(), &set, nullptr, &pipeline.set);
  if (result != VK_SUCCESS) return StatusOf(result, "a kernel's bindings");

  auto layout =
      Structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &pipeline.set;
  result = vkCreatePipelineLayout(device_.handle(), &layout, nullptr, &pipeline.layout);
  if (result != VK_SUCCESS) return StatusOf(result, "a kernel's bindings");

  return Specialize(pipeline, {}, pipeline.pipeline);
}

Status Model::Specialize(const Pipeline& pipeline, std::span<const int32_t> parameters,
                         VkPipeline& specialized) const {
  auto info =
      Structure<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage = Structure<VkPipelineShaderStageCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = pipeline.module;
  info.stage.pName = "main";
  static_assert(sizeof(VkBool32) == sizeof(int32_t));
  std::vector<int32_t> values = {device_.reads_texels() ? 1 : 0, parameters.empty() ? 0 : 1};
  values.insert(values.end(), parameters.begin(), parameters.end());
  std::vector<VkSpecializationMapEntry> entries;
  for (uint32_t i = 0; i < values.size(); ++i)
    entries.push_back({i, static_cast<uint32_t>(i * sizeof(int32_t)), sizeof(int32_t)});
  const VkSpecializationInfo constants = {static_cast<uint32_t>(entries.size()), entries.data(),
                                          values.size() * sizeof(int32_t), values.data()};
  info.stage.pSpecializationInfo = &constants;
  info.layout = pipeline.layout;
  ++device_.counters().pipelines;
  return StatusOf(
      vkCreateComputePipelines(device_.handle(), cache_, 1, &info, nullptr, &specialized),
      "a kernel's pipeline");
}

Status Model::Upload() {
  const flatbuffers::Vector<uint8_t>& bytes = *file_->weights();
  if (Status status = device_.Allocate(bytes.size(), Memory::kDevice, "the weights", weights_);
      !status.ok())
    return status;
  if (weights_.mapped != nullptr) {
    std::memcpy(weights_.mapped, bytes.data(), bytes.size());
    return {};
  }
  if (bytes.size() == 0) return {};
  // Once, so that nothing of it is kept.
  Buffer staging;
  Status status = device_.Allocate(bytes.size(), Memory::kHost, "the weights' copy", staging);
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  const auto fence_info = Structure<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  auto info =
      Structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = device_.pool();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  if (status.ok())
    status = StatusOf(vkAllocateCommandBuffers(device_.handle(), &info, &commands), "an upload");
  if (status.ok())
    status = StatusOf(vkCreateFence(device_.handle(), &fence_info, nullptr, &fence), "an upload");
  if (status.ok()) {
    std::memcpy(staging.mapped, bytes.data(), bytes.size());
    auto begin = Structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    vkBeginCommandBuffer(commands, &begin);
    const VkBufferCopy copy = {0, 0, bytes.size()};
    vkCmdCopyBuffer(commands, staging.buffer, weights_.buffer, 1, &copy);
    status = StatusOf(vkEndCommandBuffer(commands), "an upload");
    if (status.ok()) status = device_.Submit(commands, fence);
    if (status.ok()) status = device_.Wait(fence);
  }
  if (fence != VK_NULL_HANDLE) vkDestroyFence(device_.handle(), fence, nullptr);
  if (commands != VK_NULL_HANDLE)
    vkFreeCommandBuffers(device_.handle(), device_.pool(), 1, &commands);
  device_.Free(staging);
  return status;
}

Model::~Model() {
  for (const Pipeline& pipeline : pipelines_) {
    vkDestroyPipeline(device_.handle(), pipeline.pipeline, nullptr);
    vkDestroyPipelineLayout(device_.handle(), pipeline.layout, nullptr);
    vkDestroyDescriptorSetLayout(device_.handle(), pipeline.set, nullptr);
    vkDestroyShaderModule(device_.handle(), pipeline.module, nullptr);
  }
  if (cache_ != VK_NULL_HANDLE) vkDestroyPipelineCache(device_.handle(), cache_, nullptr);
  device_.Free(weights_);
}

}  // namespace tessera::vulkan
