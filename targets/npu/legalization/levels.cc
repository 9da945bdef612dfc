// Values between the host and the device: what one stretch yields is an input of another.
#include <algorithm>
#include <utility>

#include "targets/npu/legalization/translation.h"

namespace tessera::npu {
namespace {

std::vector<ir::Expr> Exprs(const std::vector<int64_t>& list) { return {list.begin(), list.end()}; }

}  // namespace

ir::Value* Translation::Crossing(int from, ir::Value* value, int to, const ir::Value* named) {
  const auto known = crossed_.find({value, to});
  if (known != crossed_.end()) return known->second;
  std::string& name = crossings_[value];
  if (name.empty()) {
    name = NameFor(named);
    const absl::Status added = At(from).layers->rewriter().AddOutput(name, value);
    if (!added.ok()) At(to).layers->Fail(added);
  }
  absl::StatusOr<ir::Value*> input = At(to).layers->rewriter().AddInput(name, value->type());
  if (!input.ok()) {
    At(to).layers->Fail(input.status());
    return nullptr;
  }
  return crossed_[{value, to}] = *input;
}

// An input of the network, or a state, as an input of a level.
ir::Value* Translation::Given(const ir::Value* value, int level) {
  const auto known = given_.find({value, level});
  if (known != given_.end()) return known->second;
  const auto state = state_of_.find(value);
  ir::TensorType type{value->type().dtype, Exprs(ShapeOf(value))};
  if (state != state_of_.end()) type.dims = Exprs(plan_.states[state->second].initial.shape());
  absl::StatusOr<ir::Value*> input = At(level).layers->rewriter().AddInput(
      state != state_of_.end() ? plan_.states[state->second].input : value->name(), type);
  if (!input.ok()) {
    At(level).layers->Fail(input.status());
    return nullptr;
  }
  return given_[{value, level}] = *input;
}

ir::Value* Translation::OnHost(const ir::Value* value, int level) {
  Layers& here = *At(level).layers;
  const ir::Value* root = Root(value);
  if (!here.status().ok()) return nullptr;
  if (const ir::Tensor* constant = root->constant(); constant != nullptr) {
    ir::Value* made = here.rewriter().CreateConstant(*constant);
    return root == value ? made : here.Reshaped(made, ShapeOf(value));
  }
  const int home = LevelOf(root);
  ir::Value* found = nullptr;
  if (home == level) {
    found = At(level).values.at(root);
  } else if (home < 0) {
    found = Given(root, level);
    if (found != nullptr && state_of_.count(root) != 0)
      found = here.Part(found, {0, 0}, {CountOf(root), 1});
  } else if (IsDeviceLevel(home)) {
    ir::Value*& whole = At(home).values[root];
    if (whole == nullptr) {
      const int level_before = std::exchange(level_, home);
      whole = layers().Reshaped(Fitted(Flat(root), CountOf(root)), ShapeOf(root));
      level_ = level_before;
    }
    if (whole == nullptr) {
      here.Fail(At(home).layers->status());
      return nullptr;
    }
    found = Crossing(home, whole, level, root);
  } else {
    found = Crossing(home, At(home).values.at(root), level, root);
  }
  return found == nullptr ? nullptr : here.Reshaped(found, ShapeOf(value));
}

Translation::StoredPtr Translation::StoredOf(const ir::Value* value) {
  const ir::Value* root = Root(value);
  const int home = LevelOf(root);
  if (home == level_) return At(level_).stored.at(root);
  auto& known = At(level_).stored[root];
  if (known != nullptr) return known;
  const int64_t count = CountOf(root);
  const int64_t size = RoundUp(count, Multiple());
  ir::Value* input = nullptr;
  if (home >= 0 && IsDeviceLevel(home)) {
    const int here = std::exchange(level_, home);
    ir::Value* flat = Fitted(Flat(root), size);
    level_ = here;
    if (flat == nullptr) return nullptr;
    input = Crossing(home, flat, level_, root);
  } else if (home < 0 && root->constant() == nullptr &&
             (size == count || state_of_.count(root) != 0)) {
    input = Given(root, level_);
  } else {
    // The host adds what is missing behind.
    const int from = std::max(home, 0);
    Layers& host = *At(from).layers;
    ir::Value* whole = OnHost(root, from);
    if (whole == nullptr) return nullptr;
    if (size != count) {
      whole =
          host.Join({host.Reshaped(whole, {count, 1}),
                     host.Constant(Numbers(static_cast<size_t>(size - count)), {size - count, 1})},
                    0);
    }
    if (whole == nullptr) return nullptr;
    input = Crossing(from, whole, level_, root);
  }
  if (input == nullptr) return nullptr;
  known = Make({input}, count);
  return known;
}

void Translation::PlaceOnHost(const ir::Operation& op, const std::string& reason) {
  int level = std::max(HighestOperand(op), 0);
  if (IsDeviceLevel(level)) ++level;
  left_.push_back({&op, reason, level});
  plan_.host_work += WorkOf(op);
  Level& here = At(level);
  std::vector<ir::Value*> operands;
  for (const ir::Value* operand : op.operands()) {
    operands.push_back(operand == nullptr ? nullptr : OnHost(operand, level));
    if (!here.layers->status().ok()) return;
  }
  std::vector<ir::Attribute> attrs(op.attrs().begin(), op.attrs().end());
  for (ir::Attribute& attr : attrs) {
    if (auto* dim = std::get_if<ir::Expr>(&attr)) *dim = OfOneFrame(*dim);
    if (auto* dims = std::get_if<std::vector<ir::Expr>>(&attr)) {
      for (ir::Expr& dim : *dims) dim = OfOneFrame(dim);
    }
  }
  ir::Rewriter& rewriter = here.layers->rewriter();
  rewriter.SetLocation(op.location());
  const absl::StatusOr<ir::Operation*> made =
      rewriter.Create(op.info(), std::move(operands), std::move(attrs));
  if (!made.ok()) return here.layers->Fail(made.status());
  for (size_t i = 0; i < op.results().size(); ++i) {
    here.values[op.result(i)] = (*made)->result(i);
    level_of_[op.result(i)] = level;
  }
}

}  // namespace tessera::npu
