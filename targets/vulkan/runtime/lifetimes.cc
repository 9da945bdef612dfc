#include "targets/vulkan/runtime/lifetimes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "targets/vulkan/runtime/artifact.h"

namespace tessera::vulkan {
namespace {

class Usage {
 public:
  Usage(const file::Model& model, std::span<const std::optional<int64_t>> values)
      : model_(model), values_(values) {}

  std::vector<Held> Run() && {
    for (uint32_t input : *model_.inputs()) Write(input, -1);
    int64_t step = 0;
    for (const file::Dispatch* dispatch : *model_.dispatches()) {
      for (const file::Binding* bound : *dispatch->bindings()) {
        if (!bound->written()) Read(bound->tensor(), step);
      }
      for (const file::Binding* bound : *dispatch->bindings()) {
        if (bound->written()) Write(bound->tensor(), step);
      }
      ++step;
    }
    for (uint32_t output : *model_.outputs()) Read(output, std::max<int64_t>(step - 1, 0));
    return std::move(held_);
  }

 private:
  bool IsInArena(uint32_t tensor) const {
    return model_.tensors()->Get(tensor)->storage() == file::Storage_ARENA;
  }

  // Its offset and size.
  std::pair<int64_t, int64_t> PlaceOf(uint32_t tensor) const {
    const file::Tensor& t = *model_.tensors()->Get(tensor);
    int64_t bytes = static_cast<int64_t>(BytesOf(t.dtype()));
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max() - kAlignment;
    for (uint32_t dim : *t.dims()) {
      if (__builtin_mul_overflow(bytes, *values_[dim], &bytes)) bytes = kMost;
    }
    bytes = (std::min(bytes, kMost) + kAlignment - 1) / kAlignment * kAlignment;
    return {*values_[t.offset()], bytes};
  }

  // What writes a tensor again writes another part of it.
  void Write(uint32_t tensor, int64_t step) {
    if (!IsInArena(tensor)) return;
    if (const auto known = holders_.find(tensor); known != holders_.end()) {
      held_[known->second].last = std::max(held_[known->second].last, step);
      return;
    }
    const auto place = PlaceOf(tensor);
    holders_[tensor] = newest_[place] = held_.size();
    held_.push_back({tensor, step, step, place.first, place.second});
  }

  // What is read and was never written is a view of what was written there last.
  void Read(uint32_t tensor, int64_t step) {
    if (!IsInArena(tensor)) return;
    auto known = holders_.find(tensor);
    if (known == holders_.end()) {
      const auto there = newest_.find(PlaceOf(tensor));
      if (there == newest_.end()) return;
      known = holders_.emplace(tensor, there->second).first;
    }
    held_[known->second].last = std::max(held_[known->second].last, step);
  }

  const file::Model& model_;
  std::span<const std::optional<int64_t>> values_;
  std::vector<Held> held_;
  std::map<uint32_t, size_t> holders_;                    // by tensor
  std::map<std::pair<int64_t, int64_t>, size_t> newest_;  // by place
};

}  // namespace

std::vector<Held> LifetimesOf(const file::Model& model,
                              std::span<const std::optional<int64_t>> values) {
  return Usage(model, values).Run();
}

std::optional<std::pair<Held, Held>> FindOverlap(const std::vector<Held>& held) {
  std::vector<const Held*> order;  // by where they begin
  for (const Held& one : held) {
    if (one.bytes > 0) order.push_back(&one);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Held* a, const Held* b) { return a->offset < b->offset; });
  for (size_t i = 0; i < order.size(); ++i) {
    const Held& a = *order[i];
    for (size_t k = i + 1; k < order.size() && order[k]->offset - a.offset < a.bytes; ++k) {
      const Held& b = *order[k];
      if (a.first <= b.last && b.first <= a.last) return std::pair(a, b);
    }
  }
  return std::nullopt;
}

}  // namespace tessera::vulkan
