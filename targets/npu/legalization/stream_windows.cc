// Windows and parts along time: what they need of earlier frames, and how late they come.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/streamer.h"

namespace tessera::npu {
namespace {

// Filters and windows over time, as their attributes say.
struct Window {
  int64_t size, stride, before, after;
};

}  // namespace

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

ir::Value* Streamer::GateFor(const Flow& x, const Shape& shape, GateKind kind) {
  const auto alike = [&](const FrameGate& gate) {
    return gate.kind == kind && gate.shape == shape && gate.axis.axis == x.axis &&
           gate.axis.delay == x.delay && gate.axis.stride == x.stride &&
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
  stream_.gates.push_back({{name, x.axis, x.entries, x.delay, x.stride, x.offset}, shape, kind});
  return *input;
}

ir::Value* Streamer::Gated(const Flow& x) {
  if (x.value == nullptr || !layers_.status().ok()) return nullptr;
  ir::Value*& made = gated_[x.value];
  if (made != nullptr) return made;
  ir::Value* gate = GateFor(x, ShapeOf(*x.value));
  return gate == nullptr ? nullptr : made = layers_.DataProduct(x.value, gate);
}

std::string Streamer::FollowWindow(const ir::Operation& op, int d, const Flow& x) {
  const bool filter = StepOf(op) == Step::kFilter;
  const auto a = static_cast<size_t>(d - 1);
  const auto entry = [&](size_t attr) { return std::get<Shape>(op.attr(attr))[a]; };
  Window w =
      filter ? Window{(op.operand(1)->type().dims[static_cast<size_t>(d)].Constant().value_or(1) -
                       1) * entry(1) +
                          1,
                      entry(0), entry(2), entry(3)}
             : Window{entry(1), entry(2), entry(3), entry(4)};
  if ((w.before > 0 || w.after > 0) && !filter)
    return "its windows take less at the ends of the stream";
  if (x.entries % w.stride != 0)
    return absl::StrCat("it goes on by ", w.stride, " entries, and a frame has ", x.entries,
                        " of them here");
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
  ir::Value* wide = WithEarlier(within, earlier);
  std::vector<ir::Attribute> attrs(op.attrs().begin(), op.attrs().end());
  if (filter) {
    std::get<Shape>(attrs[2])[a] = 0;
    std::get<Shape>(attrs[3])[a] = 0;
  }
  std::vector<ir::Value*> operands = {wide};
  for (size_t i = 1; i < op.operands().size(); ++i) {
    const std::optional<Flow> other = FlowOf(op.operand(i));
    if (!other.has_value() || other->axis >= 0) return "it has filters that depend on the input";
    operands.push_back(other->value);
  }
  if (wide == nullptr) return "";
  y.value = Entries(Like(op, std::move(operands), std::move(attrs)), d, 0, y.entries);
  flows_[op.result()] = y;
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
