// A file on a device: its weights and its pipelines.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_MODEL_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_MODEL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/runtime/device.h"

namespace tessera::vulkan {

struct Pipeline {
  VkShaderModule module = VK_NULL_HANDLE;
  VkDescriptorSetLayout set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

class Model {
 public:
  static Status Load(Device& device, std::span<const uint8_t> bytes, std::span<const uint8_t> cache,
                     std::unique_ptr<Model>& model);
  ~Model();
  Model(const Model&) = delete;

  Device& device() const { return device_; }
  const file::Model& file() const { return *file_; }
  const file::Tensor& tensor(uint32_t index) const { return *file_->tensors()->Get(index); }
  const file::Tensor& input(uint32_t i) const { return tensor(file_->inputs()->Get(i)); }
  const file::Tensor& output(uint32_t i) const { return tensor(file_->outputs()->Get(i)); }
  const Buffer& weights() const { return weights_; }
  const Pipeline& pipeline(uint32_t kernel) const { return pipelines_[kernel]; }
  VkPipelineCache cache() const { return cache_; }
  // The pipeline with its parameters as constants; without any as it is for all sizes. The
  // caller's.
  Status Specialize(const Pipeline& pipeline, std::span<const int32_t> parameters,
                    VkPipeline& specialized) const;

 private:
  explicit Model(Device& device) : device_(device) {}
  Status CheckDevice() const;
  Status CreatePipeline(const file::Kernel& kernel, Pipeline& pipeline);
  Status Upload();

  Device& device_;
  std::vector<uint64_t> bytes_;  // a copy, aligned
  const file::Model* file_ = nullptr;
  Buffer weights_;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  std::vector<Pipeline> pipelines_;  // by kernel
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_MODEL_H_
