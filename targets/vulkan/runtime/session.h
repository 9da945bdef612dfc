// A model for one size of its inputs: where everything lies, and the commands, recorded once.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_SESSION_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_SESSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "targets/vulkan/runtime/model.h"

namespace tessera::vulkan {

class Session {
 public:
  // `specialized`: with pipelines of its own, for these sizes alone. `arena`: memory that it shares
  // with others, large enough, and outlives it; null: its own.
  static Status Create(const Model& model, std::span<const int64_t* const> shapes, bool specialized,
                       std::unique_ptr<Session>& session, const Buffer* arena = nullptr);
  // The sizes that these shapes are, if they are admitted.
  static Status SymbolsOf(const Model& model, std::span<const int64_t* const> shapes,
                          std::vector<int64_t>& symbols);
  ~Session();
  Session(const Session&) = delete;

  const std::vector<int64_t>& shape(uint32_t tensor) const { return places_[tensor].shape; }
  uint64_t bytes(uint32_t tensor) const { return places_[tensor].bytes; }
  uint64_t arena_bytes() const { return arena_bytes_; }
  const Model& model() const { return model_; }

  Status Run(const void* const* inputs, void* const* outputs);
  // The same in two parts; any number of sessions can be between the two.
  Status Begin(const void* const* inputs) { return Begin(commands_, inputs); }
  // Null: outputs stay where they are.
  Status Finish(void* const* outputs);
  // A run of what lies in the arena, begun by itself. Finish() ends it.
  Status Submit(const tvk_order& order);
  VkBuffer buffer() const { return arena_.buffer; }
  uint64_t offset(uint32_t tensor) const { return places_[tensor].offset; }
  // The same, each dispatch by itself: what each took goes to `seconds`.
  Status Profile(const void* const* inputs, void* const* outputs, double* seconds);
  uint32_t dispatch_count() const { return static_cast<uint32_t>(invocations_.size()); }
  tvk_dispatch_info dispatch(uint32_t index) const;

 private:
  struct Place {
    std::vector<int64_t> shape;
    uint64_t bytes = 0, offset = 0;
  };
  Session(const Model& model, bool specialized) : model_(model), specialized_(specialized) {}

  Status Bind(std::span<const int64_t* const> shapes);
  Status PlaceTensors();
  // Of a tensor that the device cannot bind: which operation writes it, and how to do without.
  Status TooLong(uint32_t tensor, const std::string& what) const;
  // That no two tensors of the arena that are in use at one time share bytes.
  Status CheckPlan();
  Status CheckDispatches();
  Status CreateBuffers();
  Status FillTable();
  Status CreatePipelines();
  Status CreateSets();
  Status WriteSet(uint32_t dispatch);
  // Kept in `views_`.
  Status CreateView(uint32_t tensor, bool four, VkBufferView& view);
  Status Record() { return RecordInto(commands_, VK_NULL_HANDLE); }
  // With `clocks`: two time stamps for each dispatch, which begins when all before it has ended.
  // `resident`: inputs and outputs are the caller's to move, by other commands of the device.
  // `recorded` is only set where all of it went well: it is submitted as soon as there is one.
  Status RecordInto(VkCommandBuffer& recorded, VkQueryPool clocks, bool resident = false);
  void RecordDispatches(VkCommandBuffer commands, VkQueryPool clocks);
  Status Begin(VkCommandBuffer commands, const void* const* inputs);
  Status Start(VkCommandBuffer commands, const tvk_order& order);
  // Of an input or output, where the host sees it; `staged` is where the next one lies in staging_.
  uint8_t* Seen(uint32_t tensor, uint64_t& staged) const;

  // The value of an expression that must be one, at least 0.
  Status Size(uint32_t e, const std::string& what, int64_t& value) const;
  const Buffer& BufferOf(const file::Tensor& tensor) const;
  uint64_t OffsetOf(uint32_t tensor) const;
  bool IsIdle(uint32_t dispatch) const { return invocations_[dispatch] == 0; }

  const Model& model_;
  const bool specialized_;
  std::vector<int64_t> symbols_;
  std::vector<std::optional<int64_t>> values_;  // by expression
  std::vector<Place> places_;                   // by tensor
  std::vector<int64_t> invocations_;            // by dispatch
  std::vector<uint64_t> parameters_;            // by dispatch: where they lie in the table
  uint64_t arena_bytes_ = 0, sizes_begin_ = 0, table_bytes_ = 0;
  const Buffer* lent_arena_ = nullptr;
  Buffer arena_, table_, staging_;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
  std::vector<VkBufferView> views_;
  std::vector<VkDescriptorSet> sets_;  // by dispatch
  std::vector<VkPipeline> pipelines_;  // by dispatch
  std::vector<VkPipeline> own_pipelines_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE, profiled_ = VK_NULL_HANDLE,
                  resident_ = VK_NULL_HANDLE;
  VkQueryPool clocks_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  bool under_way_ = false;
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_SESSION_H_
