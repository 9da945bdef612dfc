// Windows and parts along time: what they need of earlier frames, and how late they come.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/streamer.h"

namespace tessera::npu {
ir::Value* Streamer::WithEarlier(const Flow& x, int64_t count) {
  if (count == 0 || x.value == nullptr) return x.value;
  Shape shape = ShapeOf(*x.value);
  shape[static_cast<size_t>(x.axis)] = count;
  absl::StatusOr<ir::Tensor> zeros = ir::Tensor::Allocate(ir::DType::kF32, shape);
  if (!zeros.ok()) {
    layers_.Fail(zeros.status());
    return nullptr;
  }
  size_t state = 0;
  ir::Value* earlier = NewState(shape, *std::move(zeros), state);
  if (earlier == nullptr) return nullptr;
  ir::Value* all = layers_.Join({earlier, x.value}, x.axis);
  Keep(state, count <= x.entries ? Entries(x.value, x.axis, x.entries - count, count)
                                 : Entries(all, x.axis, x.entries, count));
  return all;
}

ir::Value* Streamer::GateFor(const Flow& x, const Shape& shape, GateKind kind,
                             const GateWindow& window) {
  const auto alike = [&](const FrameGate& gate) {
    return gate.kind == kind && gate.window == window && gate.shape == shape &&
           gate.axis.axis == x.axis && gate.axis.delay == x.delay && gate.axis.stride == x.stride &&
           gate.axis.offset == x.offset;
  };
  const auto known = std::find_if(stream_.gates.begin(), stream_.gates.end(), alike);
  if (known != stream_.gates.end())
    return gates_[static_cast<size_t>(known - stream_.gates.begin())];
  const std::string name = NameFor("gate");
  absl::StatusOr<ir::Value*> input =
      layers_.rewriter().AddInput(name, {ir::DType::kF32, {shape.begin(), shape.end()}});
  if (!input.ok()) {
    layers_.Fail(input.status());
    return nullptr;
  }
  gates_.push_back(*input);
  stream_.gates.push_back(
      {{name, x.axis, x.entries, x.delay, x.stride, x.offset}, shape, kind, window});
  return *input;
}

ir::Value* Streamer::Gated(const Flow& x) {
  if (x.value == nullptr || !layers_.status().ok()) return nullptr;
  ir::Value*& made = gated_[x.value];
  if (made != nullptr) return made;
  ir::Value* gate = GateFor(x, ShapeOf(*x.value));
  return gate == nullptr ? nullptr : made = layers_.DataProduct(x.value, gate);
}

// What an operation yields of windows over time that lie within the stream.
Flow Streamer::OfWindows(const ir::Operation& op, std::vector<ir::Value*> operands,
                         std::vector<ir::Attribute> attrs, int d, const GateWindow& w,
                         const Flow& x) {
  // Window q reads from entry q * stride - earlier of the stream on.
  const int64_t lack = w.size - w.stride - w.before + x.delay;
  int64_t earlier = w.size - w.stride + ((-lack) % w.stride + w.stride) % w.stride;
  while (earlier < 0) earlier += w.stride;
  Flow y = x;
  y.entries = x.entries / w.stride;
  y.delay = (earlier - w.before + x.delay) / w.stride;
  y.offset = x.offset + x.stride * (w.before + w.after - w.size + w.stride);
  y.stride = x.stride * w.stride;
  Flow within = x;
  if (w.after > 0 || (w.before > 0 && x.delay > 0)) within.value = Gated(x);
  operands[0] = WithEarlier(within, earlier);
  y.value = operands[0] == nullptr
                ? nullptr
                : Entries(Like(op, std::move(operands), std::move(attrs)), d, 0, y.entries);
  return y;
}

// Windows that the stream's ends cut. Means are those of the whole window, with zeros where there
// is nothing, times its size by how many entries it has. The greatest is that of one entry that
// every window has, and of the others where there are any.
std::string Streamer::FollowCutWindow(const ir::Operation& op, int d, const GateWindow& w,
                                      const Flow& x) {
  const auto a = static_cast<size_t>(d - 1);
  std::vector<ir::Attribute> attrs(op.attrs().begin(), op.attrs().end());
  const auto each = [&](size_t attr) -> int64_t& { return std::get<Shape>(attrs[attr])[a]; };
  each(3) = each(4) = 0;
  if (std::get<int64_t>(attrs[0]) != 0) {  // the first kind that its definition names is the other
    Flow mean = OfWindows(op, {x.value}, attrs, d, w, x);
    ir::Value* parts = mean.value == nullptr
                           ? nullptr
                           : GateFor(mean, ShapeOf(*mean.value), GateKind::kSizeByThere, w);
    if (parts == nullptr) return "";
    mean.value = layers_.DataProduct(mean.value, parts);
    flows_[op.result()] = mean;
    return "";
  }
  if (w.before + w.after >= w.size)
    return "at the ends of the stream its windows have no entry in common";
  each(1) = each(2) = 1;
  Flow entry = x;  // windows over what else there is
  entry.value = Like(op, {x.value}, attrs);
  ir::Value* wide = entry.value == nullptr ? nullptr : WithEarlier(entry, w.size - 1);
  Flow most = entry;
  most.value = Entries(wide, d, w.before, x.entries);
  most.delay += w.size - 1 - w.before;
  most.offset += x.stride * (w.before + w.after - w.size + 1);
  for (int64_t at = 0; at < w.size && most.value != nullptr; ++at) {
    if (at == w.before) continue;
    Flow other = entry;
    other.value = Entries(wide, d, at, x.entries);
    other.delay += w.size - 1 - at;
    ir::Value* before = Negative(most.value);
    if (other.value == nullptr || before == nullptr) return "";
    ir::Value* gate = GateFor(other, ShapeOf(*other.value));
    ir::Value* more = layers_.Of(Step::kPositive, {layers_.Of(Step::kSum, {other.value, before})});
    if (gate == nullptr || more == nullptr) return "";
    most.value = layers_.Of(Step::kSum, {layers_.DataProduct(more, gate), most.value});
  }
  if (w.stride > 1) {
    for (Shape* list : {std::get_if<Shape>(&attrs[1]), std::get_if<Shape>(&attrs[2])})
      std::fill(list->begin(), list->end(), 1);
    for (Shape* list : {std::get_if<Shape>(&attrs[3]), std::get_if<Shape>(&attrs[4])})
      std::fill(list->begin(), list->end(), 0);
    each(2) = w.stride;
    most = OfWindows(op, {most.value}, attrs, d, {1, w.stride, 0, 0}, most);
  }
  flows_[op.result()] = most;
  return "";
}

std::string Streamer::FollowWindow(const ir::Operation& op, int d, const Flow& x) {
  const bool filter = StepOf(op) == Step::kFilter;
  const auto a = static_cast<size_t>(d - 1);
  const auto entry = [&](size_t attr) { return std::get<Shape>(op.attr(attr))[a]; };
  GateWindow w =
      filter
          ? GateWindow{(op.operand(1)->type().dims[static_cast<size_t>(d)].Constant().value_or(1) -
                        1) * entry(1) +
                           1,
                       entry(0), entry(2), entry(3)}
          : GateWindow{entry(1), entry(2), entry(3), entry(4)};
  if (x.entries % w.stride != 0)
    return absl::StrCat("it goes on by ", w.stride, " entries, and a frame has ", x.entries,
                        " of them here");
  if ((w.before > 0 || w.after > 0) && !filter) return FollowCutWindow(op, d, w, x);
  std::vector<ir::Attribute> attrs(op.attrs().begin(), op.attrs().end());
  if (filter) {
    std::get<Shape>(attrs[2])[a] = 0;
    std::get<Shape>(attrs[3])[a] = 0;
  }
  std::vector<ir::Value*> operands = {x.value};
  for (size_t i = 1; i < op.operands().size(); ++i) {
    const std::optional<Flow> other = FlowOf(op.operand(i));
    if (!other.has_value() || other->axis >= 0) return "it has filters that depend on the input";
    operands.push_back(other->value);
  }
  flows_[op.result()] = OfWindows(op, std::move(operands), std::move(attrs), d, w, x);
  return "";
}

std::string Streamer::FollowPart(const ir::Operation& op, const Flow& x) {
  const auto d = static_cast<size_t>(x.axis);
  auto starts = std::get<std::vector<Expr>>(op.attr(0));
  std::vector<Expr> sizes = op.result()->type().dims;
  const std::optional<int64_t> start = starts[d].Constant();
  if (!start.has_value() || !Mentions(sizes[d]))
    return "it takes entries that are counted from the last one, or a number of them";
  Flow y = x;
  y.delay += *start;
  y.offset -= x.stride * *start;
  // Entries at the end that are left out come as long as the stream goes on.
  const std::optional<int64_t> left_out = (op.operand(0)->type().dims[d] - sizes[d]).Constant();
  if (!left_out.has_value()) return "how many entries it takes is not known";
  y.offset -= x.stride * (*left_out - *start);
  starts[d] = 0;
  sizes[d] = x.entries;
  if (std::equal(sizes.begin(), sizes.end(), x.value->type().dims.begin())) {
    flows_[op.result()] = y;
    return "";
  }
  y.value = Like(op, {x.value}, {ir::Attribute(starts), ir::Attribute(sizes)});
  flows_[op.result()] = y;
  return "";
}

}  // namespace tessera::npu
