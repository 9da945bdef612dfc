// What all entries of a stream leave: the mean, the greatest, or the sum of those so far. It is
// kept from frame to frame, and stays what it is before the first entry and behind the last one.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "targets/npu/legalization/streamer.h"

namespace tessera::npu {

Flow Streamer::EndOf(const Flow& x, ir::Value* value) const {
  Flow end;
  end.value = value;
  end.entries = frame_;
  end.delay = std::max<int64_t>(x.delay * x.stride + x.offset, 0);
  end.ends = true;
  return end;
}

ir::Value* Streamer::Negative(ir::Value* value) {
  if (value == nullptr) return nullptr;
  return layers_.DataProduct(
      value, layers_.Constant(Layers::Numbers(static_cast<size_t>(ElementCountOf(*value)), -1.0f),
                              ShapeOf(*value)));
}

ir::Value* Streamer::Total(ir::Value* entries, const Flow& x) {
  ir::Value* total = Entries(entries, x.axis, 0, 1);
  for (int64_t at = 1; total != nullptr && at < x.entries; ++at)
    total = layers_.Of(Step::kSum, {total, Entries(entries, x.axis, at, 1)});
  return total;
}

// m + (f - m) * s, f being the mean of the entries of a frame, which are the part s of all so far:
// however s is rounded, what entries weigh adds up to 1.
ir::Value* Streamer::MeanSoFar(const Flow& x) {
  const Shape shape = ShapeOf(*x.value);
  Shape one = shape;
  one[static_cast<size_t>(x.axis)] = 1;
  ir::Value* shares = GateFor(x, shape, GateKind::kShareOfFrame);
  ir::Value* part = shares == nullptr ? nullptr : GateFor(x, one, GateKind::kFrameOfAll);
  size_t state = 0;
  ir::Value* mean =
      part == nullptr ? nullptr : NewState(one, *ir::Tensor::Allocate(ir::DType::kF32, one), state);
  if (mean == nullptr) return nullptr;
  ir::Value* frame = Total(layers_.DataProduct(x.value, shares), x);
  if (frame == nullptr) return nullptr;
  ir::Value* change = layers_.Of(Step::kSum, {frame, Negative(mean)});
  ir::Value* next = layers_.Of(Step::kSum, {layers_.DataProduct(change, part), mean});
  Keep(state, next);
  return next;
}

// m + max(x - m, 0) where there is an entry x, less max(m - x, 0) where it is the first one.
ir::Value* Streamer::GreatestSoFar(const Flow& x) {
  Shape one = ShapeOf(*x.value);
  one[static_cast<size_t>(x.axis)] = 1;
  size_t state = 0;
  ir::Value* most = NewState(one, *ir::Tensor::Allocate(ir::DType::kF32, one), state);
  for (int64_t at = 0; most != nullptr && at < x.entries; ++at) {
    // A gate of this entry alone, so that none is cut.
    Flow each = x;
    each.delay -= at;
    const auto gated = [&](GateKind kind, ir::Value* value) -> ir::Value* {
      ir::Value* gate = GateFor(each, one, kind);
      if (gate == nullptr) return nullptr;
      return layers_.DataProduct(layers_.Of(Step::kPositive, {value}), gate);
    };
    ir::Value* entry = Entries(x.value, x.axis, at, 1);
    ir::Value* before = Negative(most);
    if (entry == nullptr || before == nullptr) return nullptr;
    ir::Value* next = layers_.Of(
        Step::kSum, {gated(GateKind::kExists, layers_.Of(Step::kSum, {entry, before})), most});
    if (at == x.delay % x.entries && next != nullptr) {
      ir::Value* fall = gated(GateKind::kFirst, layers_.Of(Step::kSum, {most, Negative(entry)}));
      next = fall == nullptr ? nullptr : layers_.Of(Step::kSum, {Negative(fall), next});
    }
    most = next;
  }
  Keep(state, most);
  return most;
}

ir::Value* Streamer::SumSoFar(const Flow& x) {
  Shape one = ShapeOf(*x.value);
  one[static_cast<size_t>(x.axis)] = 1;
  ir::Value* gated = Gated(x);
  ir::Value* frame = gated == nullptr ? nullptr : Total(gated, x);
  size_t state = 0;
  ir::Value* sum = frame == nullptr
                       ? nullptr
                       : NewState(one, *ir::Tensor::Allocate(ir::DType::kF32, one), state);
  if (sum == nullptr) return nullptr;
  ir::Value* next = layers_.Of(Step::kSum, {frame, sum});
  Keep(state, next);
  return next;
}

std::string Streamer::FollowOver(const ir::Operation& op, const Flow& x) {
  if (std::get<int64_t>(op.attr(1)) != x.axis) return "it goes over another axis than that of time";
  layers_.rewriter().SetLocation(op.location());
  enum : int64_t { kMean, kGreatest };  // as its definition names the kinds; then the sum
  const int64_t kind = std::get<int64_t>(op.attr(0));
  ir::Value* value = kind == kMean       ? MeanSoFar(x)
                     : kind == kGreatest ? GreatestSoFar(x)
                                         : SumSoFar(x);
  if (value != nullptr) flows_[op.result()] = EndOf(x, value);
  return "";
}

}  // namespace tessera::npu
