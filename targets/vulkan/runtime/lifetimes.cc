#include "targets/vulkan/runtime/lifetimes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/runtime/in_place.h"

namespace tessera::vulkan {
namespace {

class Usage {
 public:
  Usage(const file::Model& model, std::span<const std::optional<int64_t>> values)
      : model_(model), values_(values), last_(model.tensors()->size(), -1) {
    int64_t step = 0;
    for (const file::Dispatch* dispatch : *model.dispatches()) {
      for (const file::Binding* bound : *dispatch->bindings()) last_[bound->tensor()] = step;
      ++step;
    }
    // Of those is something read when all is over; inputs are the caller's.
    for (const auto* ends : {model.inputs(), model.outputs()}) {
      for (uint32_t tensor : *ends) last_[tensor] = std::numeric_limits<int64_t>::max();
    }
  }

  Lifetimes Run() && {
    for (uint32_t input : *model_.inputs()) Write(input, -1);
    int64_t step = 0;
    for (const file::Dispatch* dispatch : *model_.dispatches()) {
      for (const file::Binding* bound : *dispatch->bindings()) {
        if (!bound->written()) Read(bound->tensor(), step);
      }
      for (const file::Binding* bound : *dispatch->bindings()) {
        if (bound->written() && !TakesPlace(*dispatch, bound->tensor(), step))
          Write(bound->tensor(), step);
      }
      ++step;
    }
    for (uint32_t output : *model_.outputs()) Read(output, std::max<int64_t>(step - 1, 0));
    return std::move(lifetimes_);
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

  // Whether what is written for the first time lies where an operand did that nothing uses any
  // more.
  bool TakesPlace(const file::Dispatch& dispatch, uint32_t result, int64_t step) {
    if (!IsInArena(result) || holders_.count(result) != 0) return false;
    const auto there = newest_.find(PlaceOf(result));
    if (there == newest_.end()) return false;
    const size_t held = there->second;
    std::vector<InPlace> taken;
    for (const file::Binding* bound : *dispatch.bindings()) {
      const auto holder = holders_.find(bound->tensor());
      if (bound->written() || holder == holders_.end() || holder->second != held) continue;
      if (!MayTakePlace(model_, dispatch, bound->tensor(), result)) return false;
      taken.push_back({static_cast<uint32_t>(step), bound->tensor(), result});
    }
    const std::vector<uint32_t>& before = members_[held];
    if (taken.empty() || std::any_of(before.begin(), before.end(),
                                     [&](uint32_t tensor) { return last_[tensor] > step; }))
      return false;
    lifetimes_.in_place.insert(lifetimes_.in_place.end(), taken.begin(), taken.end());
    Hold(result, held);
    lifetimes_.held[held].followed_by.push_back(result);
    return true;
  }

  void Hold(uint32_t tensor, size_t held) {
    holders_[tensor] = held;
    members_[held].push_back(tensor);
  }

  // What writes a tensor again writes another part of it.
  void Write(uint32_t tensor, int64_t step) {
    if (!IsInArena(tensor)) return;
    if (const auto known = holders_.find(tensor); known != holders_.end()) {
      Held& held = lifetimes_.held[known->second];
      held.last = std::max(held.last, step);
      return;
    }
    const auto place = PlaceOf(tensor);
    newest_[place] = lifetimes_.held.size();
    members_.emplace_back();
    Hold(tensor, lifetimes_.held.size());
    lifetimes_.held.push_back({tensor, step, step, place.first, place.second, {}});
  }

  // What is read and was never written is a view of what was written there last.
  void Read(uint32_t tensor, int64_t step) {
    if (!IsInArena(tensor)) return;
    if (holders_.count(tensor) == 0) {
      const auto there = newest_.find(PlaceOf(tensor));
      if (there == newest_.end()) return;
      Hold(tensor, there->second);
    }
    Held& held = lifetimes_.held[holders_.at(tensor)];
    held.last = std::max(held.last, step);
  }

  const file::Model& model_;
  std::span<const std::optional<int64_t>> values_;
  Lifetimes lifetimes_;
  std::vector<int64_t> last_;                             // dispatch that uses it, by tensor
  std::map<uint32_t, size_t> holders_;                    // by tensor
  std::vector<std::vector<uint32_t>> members_;            // tensors of each that is held
  std::map<std::pair<int64_t, int64_t>, size_t> newest_;  // by place
};

}  // namespace

Lifetimes LifetimesOf(const file::Model& model, std::span<const std::optional<int64_t>> values) {
  return Usage(model, values).Run();
}

bool AreTogether(const Held& a, const Held& b) { return a.first <= b.last && b.first <= a.last; }

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
      if (AreTogether(a, b)) return std::pair(a, b);
    }
  }
  return std::nullopt;
}

}  // namespace tessera::vulkan
