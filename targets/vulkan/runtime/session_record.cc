// The commands of a session, recorded once.
#include <algorithm>

#include "targets/vulkan/runtime/session.h"
#include "targets/vulkan/runtime/structure.h"

namespace tessera::vulkan {
namespace {

// What has been read and written since the last barrier, as ranges of the arena.
class Hazards {
 public:
  struct Range {
    uint64_t begin, end;
  };
  // Whether these must wait for what went before; if so, they begin anew.
  bool Add(const std::vector<Range>& reads, const std::vector<Range>& writes) {
    const bool wait = Meet(reads, written_) || Meet(writes, written_) || Meet(writes, read_);
    if (wait) {
      read_.clear();
      written_.clear();
    }
    read_.insert(read_.end(), reads.begin(), reads.end());
    written_.insert(written_.end(), writes.begin(), writes.end());
    return wait;
  }

 private:
  static bool Meet(const std::vector<Range>& a, const std::vector<Range>& b) {
    for (const Range& x : a) {
      for (const Range& y : b) {
        if (x.begin < y.end && y.begin < x.end) return true;
      }
    }
    return false;
  }
  std::vector<Range> read_, written_;
};

void Barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags wrote,
             VkPipelineStageFlags to, VkAccessFlags reads) {
  auto barrier = Structure<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = wrote;
  barrier.dstAccessMask = reads;
  vkCmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

// What is bound of a buffer. Lengths are whole words; there is always room behind a tensor, up to
// the alignment. What is empty may begin at the end of its buffer, and is taken from before it.
struct Piece {
  uint64_t offset, bytes;
};
Piece PieceOf(const Buffer& buffer, uint64_t offset, uint64_t bytes) {
  const uint64_t unit = kAlignment;
  const uint64_t begin = std::min(offset, buffer.size - 1) / unit * unit;
  return {begin, std::min(std::max<uint64_t>((bytes + 15) / 16 * 16, 16), buffer.size - begin)};
}

constexpr VkAccessFlags kShader = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;

}  // namespace

Status Session::CreateSets() {
  const file::Model& file = model_.file();
  uint32_t blocks = 0, buffers = 0, texels = 0, sets = 0;
  for (uint32_t d = 0; d < invocations_.size(); ++d) {
    if (IsIdle(d)) continue;
    const file::Kernel& kernel = *file.kernels()->Get(file.dispatches()->Get(d)->kernel());
    ++sets;
    blocks += kernel.parameters() > 0 ? 1 : 0;
    buffers += kernel.bindings() + (kernel.checks() ? 1 : 0);
    texels += kernel.texels()->size() + kernel.quads()->size();
  }
  sets_.resize(invocations_.size(), VK_NULL_HANDLE);
  if (sets == 0) return {};
  std::vector<VkDescriptorPoolSize> sizes;
  if (blocks > 0) sizes.push_back({VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, blocks});
  if (buffers > 0) sizes.push_back({VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers});
  if (texels > 0) sizes.push_back({VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, texels});
  auto info = Structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  info.maxSets = sets;
  info.poolSizeCount = static_cast<uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  if (VkResult result = vkCreateDescriptorPool(model_.device().handle(), &info, nullptr, &pool_);
      result != VK_SUCCESS)
    return StatusOf(result, "descriptors");
  for (uint32_t d = 0; d < invocations_.size(); ++d) {
    if (IsIdle(d)) continue;
    if (Status status = WriteSet(d); !status.ok()) return status;
  }
  return {};
}

Status Session::WriteSet(uint32_t d) {
  const file::Dispatch& dispatch = *model_.file().dispatches()->Get(d);
  const file::Kernel& kernel = *model_.file().kernels()->Get(dispatch.kernel());
  const VkDevice device = model_.device().handle();
  auto allocation =
      Structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  allocation.descriptorPool = pool_;
  allocation.descriptorSetCount = 1;
  allocation.pSetLayouts = &model_.pipeline(dispatch.kernel()).set;
  if (VkResult result = vkAllocateDescriptorSets(device, &allocation, &sets_[d]);
      result != VK_SUCCESS)
    return StatusOf(result, "descriptors");
  std::vector<VkDescriptorBufferInfo> infos;
  infos.reserve(kernel.bindings() + 2);
  std::vector<VkBufferView> views;
  views.reserve(kernel.texels()->size() + kernel.quads()->size());
  std::vector<VkWriteDescriptorSet> writes;
  const auto write = [&](uint32_t binding, VkDescriptorType type) -> VkWriteDescriptorSet& {
    auto one = Structure<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
    one.dstSet = sets_[d];
    one.dstBinding = binding;
    one.descriptorCount = 1;
    one.descriptorType = type;
    writes.push_back(one);
    return writes.back();
  };
  const auto bind = [&](uint32_t binding, VkDescriptorType type, const Buffer& buffer,
                        uint64_t offset, uint64_t bytes) {
    const Piece piece = PieceOf(buffer, offset, bytes);
    infos.push_back({buffer.buffer, piece.offset, piece.bytes});
    write(binding, type).pBufferInfo = &infos.back();
  };
  if (kernel.parameters() > 0)
    bind(0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, table_, parameters_[d],
         4 * uint64_t{kernel.parameters()});
  uint32_t binding = 1;
  for (const file::Binding* bound : *dispatch.bindings())
    bind(binding++, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BufferOf(model_.tensor(bound->tensor())),
         OffsetOf(bound->tensor()), places_[bound->tensor()].bytes);
  if (kernel.checks()) bind(binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, table_, 0, 4);
  for (const bool four : {false, true}) {
    for (uint32_t number : four ? *kernel.quads() : *kernel.texels()) {
      views.push_back(VK_NULL_HANDLE);
      const uint32_t tensor = dispatch.bindings()->Get(number - 1)->tensor();
      if (Status status = CreateView(tensor, four, views.back()); !status.ok()) return status;
      write((four ? kQuadBinding : kTexelBinding) + number, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER)
          .pTexelBufferView = &views.back();
    }
  }
  vkUpdateDescriptorSets(device, static_cast<uint32_t>(writes.size()), writes.data(), 0, nullptr);
  return {};
}

Status Session::CreateView(uint32_t tensor, bool four, VkBufferView& view) {
  const bool half = model_.tensor(tensor).dtype() == file::DType_F16;
  const uint64_t texel = (half ? 2 : 4) * (four ? 4 : 1);
  const Buffer& buffer = BufferOf(model_.tensor(tensor));
  const Piece piece = PieceOf(buffer, OffsetOf(tensor), places_[tensor].bytes);
  auto info = Structure<VkBufferViewCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO);
  info.buffer = buffer.buffer;
  info.format = half ? (four ? VK_FORMAT_R16G16B16A16_SFLOAT : VK_FORMAT_R16_SFLOAT)
                     : (four ? VK_FORMAT_R32G32B32A32_SFLOAT : VK_FORMAT_R32_SFLOAT);
  info.offset = piece.offset;
  // A device that reads no texels still has them bound, as many as it can.
  info.range =
      std::min(piece.bytes / texel, uint64_t{model_.device().limits().maxTexelBufferElements}) *
      texel;
  const VkResult result = vkCreateBufferView(model_.device().handle(), &info, nullptr, &view);
  if (result != VK_SUCCESS) return StatusOf(result, "a view of texels");
  views_.push_back(view);
  return {};
}

void Session::RecordDispatches(VkCommandBuffer commands, VkQueryPool clocks) {
  const file::Model& file = model_.file();
  Hazards hazards;
  for (uint32_t d = 0; d < invocations_.size(); ++d) {
    if (IsIdle(d)) continue;
    const file::Dispatch& dispatch = *file.dispatches()->Get(d);
    std::vector<Hazards::Range> reads, writes;
    for (const file::Binding* bound : *dispatch.bindings()) {
      if (model_.tensor(bound->tensor()).storage() != file::Storage_ARENA) continue;
      const Place& place = places_[bound->tensor()];
      (bound->written() ? writes : reads).push_back({place.offset, place.offset + place.bytes});
    }
    if (hazards.Add(reads, writes) || clocks != VK_NULL_HANDLE)
      Barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
              VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kShader);
    const Pipeline& pipeline = model_.pipeline(dispatch.kernel());
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_[d]);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1,
                            &sets_[d], 0, nullptr);
    const int64_t group = file.kernels()->Get(dispatch.kernel())->workgroup();
    const int64_t groups = (invocations_[d] + group - 1) / group;
    const int64_t x =
        std::min<int64_t>(groups, model_.device().limits().maxComputeWorkGroupCount[0]);
    if (clocks != VK_NULL_HANDLE)
      vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, clocks, 2 * d);
    vkCmdDispatch(commands, static_cast<uint32_t>(x), static_cast<uint32_t>((groups + x - 1) / x),
                  1);
    if (clocks != VK_NULL_HANDLE)
      vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, clocks, 2 * d + 1);
  }
}

Status Session::RecordInto(VkCommandBuffer& recorded, VkQueryPool clocks, bool resident) {
  const VkDevice device = model_.device().handle();
  VkCommandBuffer commands = VK_NULL_HANDLE;
  const auto failed = [&](VkResult why) {
    if (commands != VK_NULL_HANDLE)
      vkFreeCommandBuffers(device, model_.device().pool(), 1, &commands);
    return StatusOf(why, "commands");
  };
  auto allocation =
      Structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  allocation.commandPool = model_.device().pool();
  allocation.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocation.commandBufferCount = 1;
  const auto fence = Structure<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO);
  VkResult result = vkAllocateCommandBuffers(device, &allocation, &commands);
  if (result == VK_SUCCESS && fence_ == VK_NULL_HANDLE)
    result = vkCreateFence(device, &fence, nullptr, &fence_);
  const auto begin =
      Structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  if (result == VK_SUCCESS) result = vkBeginCommandBuffer(commands, &begin);
  if (result != VK_SUCCESS) return failed(result);
  ++model_.device().counters().recordings;

  if (clocks != VK_NULL_HANDLE) vkCmdResetQueryPool(commands, clocks, 0, 2 * dispatch_count());
  const bool staged = !resident && arena_.mapped == nullptr;
  uint64_t at = 0;
  const auto copy = [&](uint32_t tensor, bool in) {
    const uint64_t bytes = places_[tensor].bytes;
    if (bytes > 0) {
      const VkBufferCopy region = {in ? at : places_[tensor].offset,
                                   in ? places_[tensor].offset : at, bytes};
      vkCmdCopyBuffer(commands, in ? staging_.buffer : arena_.buffer,
                      in ? arena_.buffer : staging_.buffer, 1, &region);
    }
    at += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  };
  if (staged) {
    for (uint32_t tensor : *model_.file().inputs()) copy(tensor, true);
    Barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kShader);
  }
  if (resident)
    Barrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, kShader);
  RecordDispatches(commands, clocks);
  if (resident)
    Barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT);
  if (staged) {
    Barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    for (uint32_t tensor : *model_.file().outputs()) copy(tensor, false);
  }
  Barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
          VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
          VK_ACCESS_HOST_READ_BIT);
  result = vkEndCommandBuffer(commands);
  if (result != VK_SUCCESS) return failed(result);
  recorded = commands;
  return {};
}

}  // namespace tessera::vulkan
