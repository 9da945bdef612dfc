#include "targets/vulkan/runtime/session.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include "targets/vulkan/runtime/expressions.h"
#include "targets/vulkan/runtime/lifetimes.h"

namespace tessera::vulkan {
namespace {

uint64_t Aligned(uint64_t bytes) {
  const uint64_t unit = kAlignment;
  return (bytes + unit - 1) / unit * unit;
}

std::string Text(std::span<const int64_t> shape) {
  std::string text;
  for (int64_t dim : shape) text += (text.empty() ? "[" : ",") + std::to_string(dim);
  return text.empty() ? "[]" : text + "]";
}

void Store(file::DType dtype, int64_t value, uint8_t* to) {
  std::memcpy(to, &value, BytesOf(dtype));  // little-endian, wraps
}

}  // namespace

Status Session::Create(const Model& model, std::span<const int64_t* const> shapes, bool specialized,
                       std::unique_ptr<Session>& session, const Buffer* arena) {
  std::unique_ptr<Session> created(new Session(model, specialized));
  created->lent_arena_ = arena;
  Status status = created->Bind(shapes);
  for (Status (Session::*part)() :
       {&Session::PlaceTensors, &Session::CheckDispatches, &Session::CheckPlan,
        &Session::CreateBuffers, &Session::FillTable, &Session::CreatePipelines,
        &Session::CreateSets, &Session::Record}) {
    if (status.ok()) status = (created.get()->*part)();
  }
  if (status.ok()) session = std::move(created);
  return status;
}

Status Session::SymbolsOf(const Model& model, std::span<const int64_t* const> shapes,
                          std::vector<int64_t>& symbols) {
  Session bound(model, false);
  if (Status status = bound.Bind(shapes); !status.ok()) return status;
  symbols = bound.symbols_;
  return {};
}

Status Session::Size(uint32_t e, const std::string& what, int64_t& value) const {
  if (!values_[e].has_value() || *values_[e] < 0)
    return {TVK_INVALID_ARGUMENT, what +
                                      (values_[e].has_value() ? " is " + std::to_string(*values_[e])
                                                              : std::string(" is not defined")) +
                                      " for these sizes"};
  value = *values_[e];
  return {};
}

Status Session::Bind(std::span<const int64_t* const> shapes) {
  const file::Model& file = model_.file();
  for (const file::Symbol* symbol : *file.symbols()) {
    const int64_t size = shapes[symbol->input()][symbol->axis()];
    int64_t rest = 0;
    if (size < 0 || __builtin_sub_overflow(size, symbol->offset(), &rest) ||
        rest % symbol->scale() != 0) {
      std::string text = "input `" + model_.input(symbol->input()).name()->str() + "`, axis " +
                         std::to_string(symbol->axis()) + ": the size is " + std::to_string(size);
      if (size >= 0)
        text += ", the model has " + std::to_string(symbol->scale()) + "*" + symbol->name()->str() +
                " + " + std::to_string(symbol->offset()) + " there";
      return {TVK_INVALID_ARGUMENT, text};
    }
    const int64_t value = rest / symbol->scale();
    const int64_t over = symbol->stride() > 0 ? value % symbol->stride() : value;
    if (value < symbol->least() || value > symbol->most() || over != symbol->residue()) {
      std::string text = "`" + symbol->name()->str() + "` is " + std::to_string(value) +
                         ", declared is " + std::to_string(symbol->least()) + ".." +
                         std::to_string(symbol->most());
      if (symbol->stride() != 1)
        text +=
            ", mod " + std::to_string(symbol->stride()) + " = " + std::to_string(symbol->residue());
      if (symbol->declared() != nullptr) text += " (" + symbol->declared()->str() + ")";
      return {TVK_INVALID_ARGUMENT, text};
    }
    symbols_.push_back(value);
  }
  values_ = Evaluate(*file.expressions(), symbols_);
  for (uint32_t i = 0; i < file.inputs()->size(); ++i) {
    const file::Tensor& input = model_.input(i);
    for (uint32_t axis = 0; axis < input.dims()->size(); ++axis) {
      const std::optional<int64_t>& dim = values_[input.dims()->Get(axis)];
      if (dim == shapes[i][axis]) continue;
      return {TVK_INVALID_ARGUMENT, "input `" + input.name()->str() + "`, axis " +
                                        std::to_string(axis) + ": the size is " +
                                        std::to_string(shapes[i][axis]) + ", the model has " +
                                        (dim ? std::to_string(*dim) : "none") + " there"};
    }
  }
  for (const file::Guard* guard : *file.guards()) {
    const std::optional<int64_t>& holds = values_[guard->proposition()];
    if (!holds.has_value() || *holds == 0)
      return {TVK_INVALID_ARGUMENT, "these sizes are not admitted: " + guard->message()->str()};
  }
  return {};
}

Status Session::TooLong(uint32_t tensor, const std::string& what) const {
  const std::string text = what + ", device `" + model_.device().name() + "` binds at most " +
                           std::to_string(model_.device().limits().maxStorageBufferRange);
  for (const file::Dispatch* dispatch : *model_.file().dispatches()) {
    const bool writes = std::any_of(dispatch->bindings()->begin(), dispatch->bindings()->end(),
                                    [&](const file::Binding* binding) {
                                      return binding->written() && binding->tensor() == tensor;
                                    });
    if (!writes) continue;
    return {TVK_UNSUPPORTED,
            text + "; `" + dispatch->name()->str() + "` at `" + dispatch->location()->str() +
                "` writes it. Less lies between operations with `compile --prefer=memory`, or with "
                "a `--device-profile` of what the device binds; `--arena` runs images by parts"};
  }
  return {TVK_UNSUPPORTED, text};
}

Status Session::PlaceTensors() {
  const file::Model& file = model_.file();
  int64_t arena = 0;
  if (Status status = Size(file.arena_bytes(), "the size of the arena", arena); !status.ok())
    return status;
  arena_bytes_ = static_cast<uint64_t>(arena);
  uint64_t sizes_bytes = 0;
  for (const file::Tensor* tensor : *file.tensors()) {
    const std::string name = "tensor `" + tensor->name()->str() + "`";
    Place place;
    uint64_t bytes = BytesOf(tensor->dtype());
    for (uint32_t e : *tensor->dims()) {
      int64_t dim = 0;
      if (Status status = Size(e, "a size of " + name, dim); !status.ok()) return status;
      place.shape.push_back(dim);
      if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes))
        return {TVK_OUT_OF_MEMORY, name + " " + Text(place.shape) + " is too large"};
    }
    int64_t offset = 0;
    if (Status status = Size(tensor->offset(), "the place of " + name, offset); !status.ok())
      return status;
    place.bytes = bytes;
    place.offset = static_cast<uint64_t>(offset);
    const bool sizes = tensor->storage() == file::Storage_SIZES;
    if (sizes && bytes != tensor->elements()->size() * BytesOf(tensor->dtype()))
      return {TVK_INVALID_FILE, name + " has another number of elements than its shape"};
    const uint64_t room = tensor->storage() == file::Storage_ARENA ? arena_bytes_
                          : sizes                                  ? uint64_t{1} << 30
                                                                   : file.weights()->size();
    if (place.offset % kAlignment != 0 || place.offset > room || bytes > room - place.offset)
      return {TVK_INVALID_FILE, name + " does not lie in its memory"};
    if (bytes > model_.device().limits().maxStorageBufferRange)
      return TooLong(static_cast<uint32_t>(places_.size()),
                     name + " " + Text(place.shape) + " has " + std::to_string(bytes) + " bytes");
    if (sizes) sizes_bytes = std::max(sizes_bytes, place.offset + Aligned(bytes));
    places_.push_back(std::move(place));
  }
  table_bytes_ = sizes_bytes;
  return {};
}

Status Session::CheckDispatches() {
  // The table: the status word, the parameters of each dispatch, sizes as tensors.
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  uint64_t end = kAlignment;
  for (const file::Dispatch* dispatch : *model_.file().dispatches()) {
    const std::string name =
        "`" + dispatch->name()->str() + "` at `" + dispatch->location()->str() + "`";
    int64_t count = 0;
    if (Status status = Size(dispatch->invocations(), name + ": the number of elements", count);
        !status.ok())
      return status;
    invocations_.push_back(count);
    parameters_.push_back(end);
    end += Aligned(4 * dispatch->parameters()->size());
    if (count == 0) continue;
    for (const auto* list : {dispatch->parameters(), dispatch->limits()}) {
      for (uint32_t e : *list) {
        const std::optional<int64_t>& value = values_[e];
        // A parameter of a branch that is not taken may have no value.
        if (!value.has_value() && list == dispatch->parameters()) continue;
        if (!value.has_value() || *value > kMost || *value < -kMost)
          return {TVK_UNSUPPORTED, name + ": these sizes are too large for indices of 32 bits"};
      }
    }
    if (const std::optional<int64_t> most_steps = model_.device().most_steps()) {
      const std::optional<int64_t>& steps = values_[dispatch->steps()];
      if (!steps.has_value() || *steps > *most_steps)
        return {TVK_UNSUPPORTED, name + ": at these sizes an invocation goes round loops " +
                                     (steps.has_value() ? std::to_string(*steps) : "uncounted") +
                                     " times, and this driver leaves them after " +
                                     std::to_string(*most_steps)};
    }
    const int64_t group = model_.file().kernels()->Get(dispatch->kernel())->workgroup();
    const int64_t most = model_.device().limits().maxComputeWorkGroupCount[0];
    if ((count + group - 1) / group > most * model_.device().limits().maxComputeWorkGroupCount[1])
      return {TVK_UNSUPPORTED, name + ": these sizes are too large for one dispatch"};
  }
  sizes_begin_ = end;
  table_bytes_ += end;
  return {};
}

Status Session::CheckPlan() {
  const auto overlap = FindOverlap(LifetimesOf(model_.file(), values_).held);
  if (!overlap.has_value()) return {};
  const auto name = [&](const Held& held) {
    return "`" + model_.tensor(held.tensor).name()->str() + "`";
  };
  return {TVK_INVALID_FILE, "tensors " + name(overlap->first) + " and " + name(overlap->second) +
                                " are in use at one time and lie in the same memory"};
}

const Buffer& Session::BufferOf(const file::Tensor& tensor) const {
  return tensor.storage() == file::Storage_ARENA   ? arena_
         : tensor.storage() == file::Storage_SIZES ? table_
                                                   : model_.weights();
}

uint64_t Session::OffsetOf(uint32_t tensor) const {
  return places_[tensor].offset +
         (model_.tensor(tensor).storage() == file::Storage_SIZES ? sizes_begin_ : 0);
}

Status Session::CreateBuffers() {
  Device& device = model_.device();
  Status status;
  if (lent_arena_ != nullptr)
    arena_ = *lent_arena_;
  else
    status = device.Allocate(arena_bytes_, Memory::kDevice, "the arena", arena_);
  if (status.ok()) status = device.Allocate(table_bytes_, Memory::kTable, "the parameters", table_);
  if (!status.ok() || arena_.mapped != nullptr) return status;
  uint64_t bytes = 0;
  for (const auto* list : {model_.file().inputs(), model_.file().outputs()}) {
    for (uint32_t tensor : *list) bytes += Aligned(places_[tensor].bytes);
  }
  return device.Allocate(bytes, Memory::kHost, "the copies of inputs and outputs", staging_);
}

Status Session::FillTable() {
  std::memset(table_.mapped, 0, table_bytes_);
  for (uint32_t d = 0; d < parameters_.size(); ++d) {
    const flatbuffers::Vector<uint32_t>& list = *model_.file().dispatches()->Get(d)->parameters();
    for (uint32_t k = 0; k < list.size(); ++k) {
      const int32_t value = static_cast<int32_t>(values_[list.Get(k)].value_or(0));
      std::memcpy(table_.mapped + parameters_[d] + 4 * k, &value, sizeof value);
    }
  }
  for (uint32_t t = 0; t < places_.size(); ++t) {
    const file::Tensor& tensor = model_.tensor(t);
    if (tensor.storage() != file::Storage_SIZES) continue;
    uint8_t* to = table_.mapped + OffsetOf(t);
    for (uint32_t e : *tensor.elements()) {
      if (!values_[e].has_value())
        return {TVK_INVALID_ARGUMENT,
                "an element of `" + tensor.name()->str() + "` is not defined for these sizes"};
      Store(tensor.dtype(), *values_[e], to);
      to += BytesOf(tensor.dtype());
    }
  }
  return {};
}

Status Session::CreatePipelines() {
  std::map<std::pair<uint32_t, std::vector<int32_t>>, VkPipeline> known;
  for (uint32_t d = 0; d < invocations_.size(); ++d) {
    const file::Dispatch& dispatch = *model_.file().dispatches()->Get(d);
    const Pipeline& general = model_.pipeline(dispatch.kernel());
    pipelines_.push_back(general.pipeline);
    if (!specialized_ || IsIdle(d) || dispatch.parameters()->size() == 0) continue;
    std::vector<int32_t> values;
    for (uint32_t e : *dispatch.parameters())
      values.push_back(static_cast<int32_t>(values_[e].value_or(0)));
    const auto [one, fresh] = known.try_emplace({dispatch.kernel(), values}, VK_NULL_HANDLE);
    if (fresh) {
      if (Status status = model_.Specialize(general, values, one->second); !status.ok())
        return status;
      own_pipelines_.push_back(one->second);
    }
    pipelines_.back() = one->second;
  }
  return {};
}

Status Session::Run(const void* const* inputs, void* const* outputs) {
  if (Status status = Begin(inputs); !status.ok()) return status;
  return Finish(outputs);
}

uint8_t* Session::Seen(uint32_t tensor, uint64_t& staged) const {
  const bool mapped = arena_.mapped != nullptr;
  uint8_t* at = mapped ? arena_.mapped + places_[tensor].offset : staging_.mapped + staged;
  staged += Aligned(places_[tensor].bytes);
  return at;
}

Status Session::Begin(VkCommandBuffer commands, const void* const* inputs) {
  if (under_way_)
    return {TVK_INVALID_ARGUMENT, "a run of this session is under way and has not been finished"};
  uint64_t staged = 0;
  for (uint32_t tensor : *model_.file().inputs())
    std::memcpy(Seen(tensor, staged), *inputs++, places_[tensor].bytes);
  return Start(commands, {});
}

Status Session::Start(VkCommandBuffer commands, const tvk_order& order) {
  std::memset(table_.mapped, 0, sizeof(uint32_t));
  if (Status status = model_.device().Submit(commands, fence_, order); !status.ok()) return status;
  under_way_ = true;
  return {};
}

Status Session::Submit(const tvk_order& order) {
  if (under_way_)
    return {TVK_INVALID_ARGUMENT, "a run of this session is under way and has not been finished"};
  if (resident_ == VK_NULL_HANDLE) {
    if (Status status = RecordInto(resident_, VK_NULL_HANDLE, true); !status.ok()) return status;
  }
  return Start(resident_, order);
}

Status Session::Finish(void* const* outputs) {
  if (!under_way_) return {TVK_INVALID_ARGUMENT, "no run of this session is under way"};
  const Status waited = model_.device().Wait(fence_);
  // Nothing is under way on a device that was lost: what is tried next is told so by the device.
  under_way_ = !waited.ok() && waited.code() != TVK_DEVICE_LOST;
  if (!waited.ok()) return waited;
  uint32_t outside = 0;
  std::memcpy(&outside, table_.mapped, sizeof outside);
  if (outside != 0) {
    const file::Dispatch* dispatch = outside <= model_.file().dispatches()->size()
                                         ? model_.file().dispatches()->Get(outside - 1)
                                         : nullptr;
    return {TVK_INDEX_OUTSIDE, (dispatch == nullptr ? std::string("a kernel")
                                                    : "`" + dispatch->name()->str() + "` at `" +
                                                          dispatch->location()->str() + "`") +
                                   ": an index that is data lies outside its tensor"};
  }
  if (outputs == nullptr) return {};
  uint64_t staged = 0;
  for (uint32_t tensor : *model_.file().inputs()) staged += Aligned(places_[tensor].bytes);
  for (uint32_t tensor : *model_.file().outputs())
    std::memcpy(*outputs++, Seen(tensor, staged), places_[tensor].bytes);
  return {};
}

Session::~Session() {
  const VkDevice device = model_.device().handle();
  if (under_way_) (void)model_.device().Wait(fence_);  // lost: it uses nothing any more
  if (fence_ != VK_NULL_HANDLE) vkDestroyFence(device, fence_, nullptr);
  for (VkCommandBuffer* commands : {&commands_, &profiled_, &resident_}) {
    if (*commands != VK_NULL_HANDLE)
      vkFreeCommandBuffers(device, model_.device().pool(), 1, commands);
  }
  if (clocks_ != VK_NULL_HANDLE) vkDestroyQueryPool(device, clocks_, nullptr);
  if (pool_ != VK_NULL_HANDLE) vkDestroyDescriptorPool(device, pool_, nullptr);
  for (VkPipeline pipeline : own_pipelines_) vkDestroyPipeline(device, pipeline, nullptr);
  for (VkBufferView view : views_) vkDestroyBufferView(device, view, nullptr);
  if (lent_arena_ == nullptr) model_.device().Free(arena_);
  model_.device().Free(table_);
  model_.device().Free(staging_);
}

}  // namespace tessera::vulkan
