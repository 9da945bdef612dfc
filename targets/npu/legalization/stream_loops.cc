// Recurrences over time: the entries of a frame one after the other, their states kept between
// frames. Entries that come late are preceded by what is none: behind the last of that the states
// are what they are in the beginning.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/streamer.h"

namespace tessera::npu {

namespace {

bool IsZero(const ir::Tensor& tensor) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.AsDouble(i) != 0) return false;
  }
  return true;
}

}  // namespace

ir::Value* Streamer::EntryOf(ir::Value* value, int64_t at) {
  ir::Value* entry = Entries(value, 0, at, 1);
  if (entry == nullptr) return nullptr;
  Shape shape = ShapeOf(*entry);
  shape.erase(shape.begin());
  return layers_.Reshaped(entry, shape);
}

// One of two values: the first where entry `at` exists, else the second.
ir::Value* Streamer::WhereThereIs(const Flow& time, int64_t at, ir::Value* value,
                                  ir::Value* otherwise) {
  if (value == nullptr || otherwise == nullptr) return nullptr;
  const Shape shape = ShapeOf(*value);
  Shape all = shape;
  all.insert(all.begin(), time.entries);
  Flow each = time;
  each.axis = 0;
  ir::Value* gates = GateFor(each, all);
  ir::Value* gate = gates == nullptr ? nullptr : EntryOf(gates, at);
  if (gate == nullptr) return nullptr;
  ir::Value* kept = layers_.DataProduct(value, gate);
  const ir::Tensor* number = otherwise->constant();
  if (number != nullptr && IsZero(*number)) return kept;
  const auto constant = [&](float each_one) {
    return layers_.Constant(Layers::Numbers(static_cast<size_t>(ElementCountOf(*gate)), each_one),
                            shape);
  };
  ir::Value* no_gate =
      layers_.Of(Step::kSum, {layers_.DataProduct(gate, constant(-1)), constant(1)});
  ir::Value* other = no_gate == nullptr ? nullptr : layers_.DataProduct(no_gate, otherwise);
  return other == nullptr ? nullptr : layers_.Of(Step::kSum, {kept, other});
}

std::string Streamer::FollowLoop(const ir::Loop& loop) {
  if (loop.again() != nullptr || loop.first() != nullptr || loop.parent >= 0 ||
      !Mentions(std::get<Expr>(loop.end->attr(1))))
    return "a loop through something else than entries";
  std::map<const ir::Operation*, size_t> places;
  std::vector<std::optional<Flow>> entered;
  for (const ir::Operation* op : loop.steps) {
    if (!ir::IsLoopEntry(*op)) continue;
    places[op] = entered.size();
    entered.push_back(FlowOf(op->operand(1)));
    if (!entered.back().has_value() || entered.back()->axis != 0)
      return "it goes through something else than entries";
  }
  if (entered.empty()) return "a loop through something else than entries";
  if (std::string reason = Align(entered); !reason.empty()) return reason;
  const Flow time = *entered[0];
  std::vector<ir::Value*> states, initial;
  std::vector<size_t> kept(loop.states());
  std::vector<bool> read_behind(loop.states());
  for (size_t i = 0; i < loop.states(); ++i) {
    const ir::Tensor* constant = loop.initial(i)->constant();
    if (constant == nullptr) return "the state before the first entry depends on the inputs";
    const ir::Value* last = loop.end->result(i);
    read_behind[i] = last->is_graph_output() || !last->UsesUnsorted().empty();
    states.push_back(NewState(constant->shape(), *constant, kept[i]));
    initial.push_back(layers_.rewriter().CreateConstant(*constant));
  }
  std::vector<std::vector<ir::Value*>> collected(loop.collected_count());
  for (int64_t at = 0; at < time.entries; ++at) {
    for (size_t i = 0; i < states.size(); ++i) flows_[loop.state(i)] = Flow{states[i]};
    for (const ir::Operation* op : loop.steps) {
      for (const ir::Value* result : op->results()) flows_.erase(result);
      if (!ir::IsLoopEntry(*op)) {
        std::string reason = Follow(*op);
        for (const ir::Value* result : op->results()) {
          const auto made = flows_.find(result);
          if (reason.empty() && made != flows_.end() && made->second.ends)
            reason = "it takes what is known behind the last entry for each of them";
        }
        if (!reason.empty())
          return absl::StrCat("`", std::string(op->info().name), "` in the loop: ", reason);
        continue;
      }
      ir::Value* entry = EntryOf(entered[places[op]]->value, at);
      if (entry == nullptr) return "";
      flows_[op->result()] = Flow{entry};
    }
    for (size_t i = 0; i < states.size(); ++i) {
      const std::optional<Flow> next = FlowOf(loop.next(i));
      if (!next.has_value()) return "a state that is not computed";
      if (next->axis >= 0) return "a state that has all entries";
      ir::Value* before = std::exchange(states[i], next->value);
      // What comes before the first entry, or behind the last one, is none, and leaves no state.
      if (read_behind[i]) {
        states[i] = WhereThereIs(time, at, states[i], before);
      } else if (time.delay > 0 && at == (time.delay - 1) % time.entries) {
        states[i] = WhereThereIs(time, at, states[i], initial[i]);
      }
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
    flows_[loop.end->result(i)] = EndOf(time, states[i]);
  }
  for (size_t k = 0; k < collected.size(); ++k) {
    Flow& made = flows_[loop.end->result(loop.states() + k)] = time;
    made.value = layers_.Join(collected[k], 0);
  }
  return "";
}

}  // namespace tessera::npu
