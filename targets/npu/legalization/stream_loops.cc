// Recurrences over time: the entries of a frame one after the other, their states kept between
// frames.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/streamer.h"

namespace tessera::npu {

std::string Streamer::FollowLoop(const ir::Loop& loop) {
  const Expr& length = std::get<Expr>(loop.end->attr(1));
  if (loop.again() != nullptr || loop.first() != nullptr || loop.parent >= 0 ||
      length.ToString() != symbol_)
    return "a loop through something else than entries";
  std::vector<ir::Value*> states;
  std::vector<size_t> kept(loop.states());
  for (size_t i = 0; i < loop.states(); ++i) {
    const ir::Tensor* initial = loop.initial(i)->constant();
    if (initial == nullptr) return "the state before the first entry depends on the inputs";
    states.push_back(NewState(initial->shape(), *initial, kept[i]));
  }
  std::vector<std::vector<ir::Value*>> collected(loop.collected_count());
  for (int64_t at = 0; at < frame_; ++at) {
    for (size_t i = 0; i < states.size(); ++i) flows_[loop.state(i)] = Flow{states[i]};
    for (const ir::Operation* op : loop.steps) {
      for (const ir::Value* result : op->results()) flows_.erase(result);
      if (!ir::IsLoopEntry(*op)) {
        if (std::string reason = Follow(*op); !reason.empty())
          return absl::StrCat("`", std::string(op->info().name), "` in the loop: ", reason);
        continue;
      }
      const std::optional<Flow> x = FlowOf(op->operand(1));
      if (!x.has_value() || x->axis != 0 || x->delay != 0 || x->entries != frame_)
        return "it goes through entries that come late";
      ir::Value* entry = Entries(x->value, 0, at, 1);
      if (entry == nullptr) return "";
      Shape shape = ShapeOf(*entry);
      shape.erase(shape.begin());
      flows_[op->result()] = Flow{layers_.Reshaped(entry, shape)};
    }
    for (size_t i = 0; i < states.size(); ++i) {
      const std::optional<Flow> next = FlowOf(loop.next(i));
      if (!next.has_value()) return "a state that is not computed";
      states[i] = next->value;
    }
    for (size_t k = 0; k < collected.size(); ++k) {
      const std::optional<Flow> value = FlowOf(loop.collected(k));
      if (!value.has_value() || value->value == nullptr) return "a result that is not computed";
      Shape shape = ShapeOf(*value->value);
      shape.insert(shape.begin(), 1);
      collected[k].push_back(layers_.Reshaped(value->value, shape));
    }
    if (!layers_.status().ok()) return "";
  }
  for (size_t i = 0; i < states.size(); ++i) {
    Keep(kept[i], states[i]);
    flows_[loop.end->result(i)] = Flow{states[i]};
  }
  for (size_t k = 0; k < collected.size(); ++k)
    flows_[loop.end->result(loop.states() + k)] = Flow{layers_.Join(collected[k], 0), 0, frame_};
  return "";
}

}  // namespace tessera::npu
