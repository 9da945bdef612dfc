// What is kept from frame to frame: states of loops, and those that a stream has.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/loops.h"
#include "targets/npu/legalization/translation.h"

namespace tessera::npu {

size_t Translation::KeepFor(const ir::Value* value, const ir::Tensor& initial, std::string name) {
  const int64_t count = CountOf(value);
  const int64_t size = RoundUp(count, Multiple());
  std::vector<float> numbers(static_cast<size_t>(size));
  for (int64_t k = 0; k < count; ++k)
    numbers[static_cast<size_t>(k)] = static_cast<float>(initial.AsDouble(k));
  State state;
  state.input = std::move(name);
  state.initial = ir::Tensor::Of<float>(ir::DType::kF32, {size, 1}, numbers);
  plan_.states.push_back(std::move(state));
  return state_of_[value] = plan_.states.size() - 1;
}

bool Translation::PlaceLoop(const ir::Operation& op) {
  if (ir::IsLoopBegin(op)) {
    for (size_t i = 1; i < op.results().size(); ++i) {
      const ir::Tensor* initial = op.operand(1 + i)->constant();
      if (initial == nullptr) {
        left_.push_back({&op, "the state before the first frame depends on the inputs", 0});
        return true;
      }
      KeepFor(op.result(i), *initial, NameFor(op.result(i)));
    }
    return true;
  }
  if (!ir::IsLoopEnd(op)) return false;
  const auto states = static_cast<size_t>(std::get<int64_t>(op.attr(0)));
  if (op.operand(1) != nullptr) {
    left_.push_back({&op, "a loop whose data say how often it runs", 0});
    return true;
  }
  for (size_t i = 0; i < states; ++i)
    next_states_.push_back({state_of_.at(op.operand(2 + i)), op.operand(2 + states + i)});
  for (size_t i = 0; i < op.results().size(); ++i)
    views_[op.result(i)] = op.operand(2 + states + i);
  return true;
}

// At the end of a run, in their places of their sizes.
absl::Status Translation::WriteStates() {
  for (const auto& [index, next] : next_states_) {
    State& state = plan_.states[index];
    const int64_t count = CountOf(next), size = state.initial.shape()[0];
    level_ = std::max(LevelOf(next), 0);
    if (state.output.empty()) state.output = NameFor(next);
    ir::Value* value = nullptr;
    if (level_ % 2 == 1) {
      value = Fitted(Flat(next), size);
    } else if (value = OnHost(next, level_); value != nullptr) {
      value = layers().Reshaped(value, {count, 1});
      if (size != count && value != nullptr)
        value = layers().Join({value, layers().Constant(Numbers(static_cast<size_t>(size - count)),
                                                        {size - count, 1})},
                              0);
    }
    if (!layers().status().ok()) return layers().status();
    if (value == nullptr) return absl::InternalError("a state without a value");
    if (absl::Status added = layers().rewriter().AddOutput(state.output, value); !added.ok())
      return added;
  }
  return absl::OkStatus();
}

}  // namespace tessera::npu
