#include "targets/npu/legalization/stream.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/loops.h"
#include "layout/permutation.h"
#include "passes/lower.h"
#include "solver/expr.h"
#include "targets/npu/legalization/layers.h"

namespace tessera::npu {
namespace {

using ir::Expr;
using Shape = std::vector<int64_t>;

// What stands for a value of the network, and which of its entries a frame has.
struct Flow {
  ir::Value* value = nullptr;
  int axis = -1;  // of time; -1: it is the same for all frames
  // Entries in a frame, how late they come, and how many there are of `t` entries of the input:
  // floor((t + offset) / stride).
  int64_t entries = 0, delay = 0, stride = 1, offset = 0;
};

// Filters and windows over time, as their attributes say.
struct Window {
  int64_t size, stride, before, after;
};

class Streamer {
 public:
  Streamer(const ir::Graph& graph, const std::string& symbol, int64_t frame)
      : graph_(graph), symbol_(symbol), frame_(frame), layers_(*stream_.graph) {}

  absl::StatusOr<Stream> Run();

 private:
  // Why not; empty: the results have flows.
  std::string Follow(const ir::Operation& op);
  std::string FollowLoop(const ir::Loop& loop);
  std::string FollowWindow(const ir::Operation& op, int d, const Flow& x);
  std::string FollowPart(const ir::Operation& op, const Flow& x);
  std::string Repeat(const ir::Operation& op, std::vector<std::optional<Flow>> operands);
  std::string Refuse(const ir::Operation& op, const std::string& reason);

  absl::StatusOr<int> AxisOf(const ir::Value& value) const;
  std::optional<Flow> FlowOf(ir::Value* value);
  std::string Align(std::vector<std::optional<Flow>>& operands);
  // The last `count` entries of earlier frames, then those of this one.
  ir::Value* WithEarlier(const Flow& x, int64_t count);
  ir::Value* NewState(const Shape& shape, ir::Tensor initial, size_t& index);
  void Keep(size_t state, ir::Value* next);
  ir::Value* Entries(ir::Value* value, int axis, int64_t from, int64_t count);
  // Zeros in place of what is no entry of the stream.
  ir::Value* Gated(const Flow& x);
  std::string NameFor(const std::string& base);
  bool HasTime(const ir::Attribute& attr) const;
  // Of the result of an operation like `op` with other attributes.
  ir::Value* Like(const ir::Operation& op, std::vector<ir::Value*> operands,
                  std::vector<ir::Attribute> attrs);

  const ir::Graph& graph_;
  const std::string& symbol_;
  const int64_t frame_;
  Stream stream_ = {std::make_unique<ir::Graph>(), {}, {}, {}, {}};
  Layers layers_;
  std::map<const ir::Value*, Flow> flows_;
  std::vector<ir::Value*> gates_;                 // those of stream_.gates
  std::map<const ir::Value*, ir::Value*> gated_;  // by what is gated
  std::set<const ir::Value*> refused_;
  std::set<std::string> names_;
  std::vector<passes::Refusal> refusals_;
};

bool Mentions(const Expr& e, const std::string& symbol) {
  const std::vector<std::string> symbols = solver::SymbolsOf(e);
  return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
}

absl::StatusOr<int> Streamer::AxisOf(const ir::Value& value) const {
  int axis = -1;
  for (size_t d = 0; d < value.type().dims.size(); ++d) {
    const Expr& dim = value.type().dims[d];
    if (dim.Constant().has_value()) continue;
    if (axis >= 0 || !Mentions(dim, symbol_))
      return absl::UnimplementedError(absl::StrCat(
          "its dims ",
          absl::StrJoin(
              value.type().dims, ", ",
              [](std::string* out, const Expr& e) { absl::StrAppend(out, e.ToString()); }),
          " are known but for one"));
    axis = static_cast<int>(d);
  }
  return axis;
}

std::string Streamer::NameFor(const std::string& base) {
  std::string name = base;
  for (int i = 1; !names_.insert(name).second; ++i) name = absl::StrCat(base, ".", i);
  return name;
}

bool Streamer::HasTime(const ir::Attribute& attr) const {
  if (const auto* dim = std::get_if<Expr>(&attr)) return !dim->Constant().has_value();
  if (const auto* dims = std::get_if<std::vector<Expr>>(&attr))
    return std::any_of(dims->begin(), dims->end(),
                       [](const Expr& dim) { return !dim.Constant().has_value(); });
  return false;
}

ir::Value* Streamer::Like(const ir::Operation& op, std::vector<ir::Value*> operands,
                          std::vector<ir::Attribute> attrs) {
  layers_.rewriter().SetLocation(op.location());
  absl::StatusOr<ir::Operation*> made =
      layers_.rewriter().Create(op.info(), std::move(operands), std::move(attrs));
  if (made.ok()) return (*made)->result();
  layers_.Fail(made.status());
  return nullptr;
}

std::optional<Flow> Streamer::FlowOf(ir::Value* value) {
  if (const auto known = flows_.find(value); known != flows_.end()) return known->second;
  if (value->constant() == nullptr) return std::nullopt;
  Flow flow;
  flow.value = layers_.rewriter().CreateConstant(*value->constant());
  return flows_[value] = flow;
}

ir::Value* Streamer::Entries(ir::Value* value, int axis, int64_t from, int64_t count) {
  if (value == nullptr) return nullptr;
  Shape sizes = ShapeOf(*value);
  Shape starts(sizes.size());
  starts[static_cast<size_t>(axis)] = from;
  sizes[static_cast<size_t>(axis)] = count;
  return layers_.Part(value, starts, sizes);
}

ir::Value* Streamer::NewState(const Shape& shape, ir::Tensor initial, size_t& index) {
  State state;
  state.input = NameFor("state");
  state.initial = std::move(initial);
  absl::StatusOr<ir::Value*> input =
      layers_.rewriter().AddInput(state.input, {ir::DType::kF32, {shape.begin(), shape.end()}});
  if (!input.ok()) {
    layers_.Fail(input.status());
    return nullptr;
  }
  index = stream_.states.size();
  stream_.states.push_back(std::move(state));
  return *input;
}

void Streamer::Keep(size_t state, ir::Value* next) {
  if (next == nullptr || !layers_.status().ok()) return;
  State& kept = stream_.states[state];
  kept.output = NameFor(absl::StrCat(kept.input, ".next"));
  if (absl::Status status = layers_.rewriter().AddOutput(kept.output, next); !status.ok())
    layers_.Fail(status);
}

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

ir::Value* Streamer::Gated(const Flow& x) {
  if (x.value == nullptr || !layers_.status().ok()) return nullptr;
  ir::Value*& made = gated_[x.value];
  if (made != nullptr) return made;
  const Shape shape = ShapeOf(*x.value);
  const auto alike = [&](const FrameGate& gate) {
    return gate.shape == shape && gate.axis.axis == x.axis && gate.axis.delay == x.delay &&
           gate.axis.stride == x.stride && gate.axis.offset == x.offset;
  };
  const auto known = std::find_if(stream_.gates.begin(), stream_.gates.end(), alike);
  ir::Value* gate = nullptr;
  if (known != stream_.gates.end()) {
    gate = gates_[static_cast<size_t>(known - stream_.gates.begin())];
  } else {
    const std::string name = NameFor("gate");
    absl::StatusOr<ir::Value*> input =
        layers_.rewriter().AddInput(name, {ir::DType::kF32, {shape.begin(), shape.end()}});
    if (!input.ok()) {
      layers_.Fail(input.status());
      return nullptr;
    }
    gate = *input;
    gates_.push_back(gate);
    stream_.gates.push_back({{name, x.axis, x.entries, x.delay, x.stride, x.offset}, shape});
  }
  return made = layers_.DataProduct(x.value, gate);
}

// Operands of an elementwise operation, say, come equally late.
std::string Streamer::Align(std::vector<std::optional<Flow>>& operands) {
  const Flow* latest = nullptr;
  for (const std::optional<Flow>& flow : operands) {
    if (flow.has_value() && flow->axis >= 0 && (latest == nullptr || flow->delay > latest->delay))
      latest = &*flow;
  }
  if (latest == nullptr) return "";
  const Flow last = *latest;
  for (std::optional<Flow>& flow : operands) {
    if (!flow.has_value() || flow->axis < 0) continue;
    if (flow->stride != last.stride || flow->entries != last.entries)
      return "its operands have different numbers of entries in a frame";
    const int64_t wait = last.delay - flow->delay;
    if (wait == 0) continue;
    flow->value = Entries(WithEarlier(*flow, wait), flow->axis, 0, flow->entries);
    flow->delay = last.delay;
  }
  return "";
}

std::string Streamer::Repeat(const ir::Operation& op, std::vector<std::optional<Flow>> operands) {
  if (std::string reason = Align(operands); !reason.empty()) return reason;
  Flow made;
  std::vector<ir::Value*> values;
  for (const std::optional<Flow>& flow : operands) {
    values.push_back(flow.has_value() ? flow->value : nullptr);
    if (flow.has_value() && flow->axis >= 0) made = *flow;
  }
  std::vector<ir::Attribute> attrs(op.attrs().begin(), op.attrs().end());
  const absl::StatusOr<int> axis = AxisOf(*op.result());
  if (!axis.ok()) return std::string(axis.status().message());
  if (made.axis >= 0 && *axis < 0) return "it takes entries away";
  made.axis = *axis;
  for (ir::Attribute& attr : attrs) {
    if (!HasTime(attr)) continue;
    auto* dims = std::get_if<std::vector<Expr>>(&attr);
    if (op.info().role != ir::Role::kReshape || dims == nullptr)
      return "it depends on how many entries there are";
    (*dims)[static_cast<size_t>(*axis)] = Expr(made.entries);
  }
  made.value = Like(op, std::move(values), std::move(attrs));
  flows_[op.result()] = made;
  return "";
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
  if (!start.has_value() || !Mentions(sizes[d], symbol_))
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

std::string Streamer::Follow(const ir::Operation& op) {
  std::vector<std::optional<Flow>> operands;
  const Flow* timed = nullptr;
  operands.reserve(op.operands().size());
  for (ir::Value* value : op.operands()) {
    operands.push_back(value == nullptr ? std::nullopt : FlowOf(value));
    if (value != nullptr && !operands.back().has_value())
      return "it computes with how many entries there are";
    if (value != nullptr && operands.back()->axis >= 0) timed = &*operands.back();
  }
  if (op.results().size() != 1) return "it is not known to treat each entry alike";
  if (timed == nullptr) return Repeat(op, std::move(operands));
  const Flow x = *timed;
  const int rank = static_cast<int>(op.result()->type().dims.size());
  const absl::StatusOr<int> result = AxisOf(*op.result());
  if (!result.ok()) return std::string(result.status().message());
  if (op.info().role == ir::Role::kReshape) {
    const std::vector<Expr>&from = op.operand(0)->type().dims, &to = op.result()->type().dims;
    Expr before = 1, after = 1;
    for (int i = 0; i < x.axis; ++i) before *= from[static_cast<size_t>(i)];
    for (int i = 0; i < *result; ++i) after *= to[static_cast<size_t>(i)];
    const bool keeps = *result >= 0 && before == after &&
                       from[static_cast<size_t>(x.axis)] == to[static_cast<size_t>(*result)];
    return keeps ? Repeat(op, std::move(operands)) : "it mixes entries with what is beside them";
  }
  if (op.info().role == ir::Role::kTranspose)
    return layout::PermutationOf(&op).has_value() ? Repeat(op, std::move(operands))
                                                  : "its order is not known";
  switch (StepOf(op)) {
    case Step::kRows:
    case Step::kScaled:
    case Step::kPicked:
      if (x.axis + 1 < rank && operands[0]->axis >= 0) return Repeat(op, std::move(operands));
      return "it adds entries up";
    case Step::kFilter:
    case Step::kWindow:
      if (x.axis == 0) return Repeat(op, std::move(operands));
      return x.axis < 3 ? FollowWindow(op, x.axis, x) : "its filters reach over all entries";
    case Step::kJoin:
      if (std::get<int64_t>(op.attr(0)) == x.axis) return "it joins entries";
      for (const std::optional<Flow>& flow : operands) {
        if (flow->axis < 0) return "it joins entries and what is none";
      }
      return Repeat(op, std::move(operands));
    case Step::kPart:
      return FollowPart(op, x);
    default:
      break;
  }
  if (!op.info().elementwise) return "it is not known to treat each entry alike";
  // Axes are counted from the last one.
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].has_value() || operands[i]->axis < 0) continue;
    const int from_end = static_cast<int>(op.operand(i)->type().dims.size()) - operands[i]->axis;
    if (from_end != rank - *result) return "its operands have the entries along different axes";
  }
  return Repeat(op, std::move(operands));
}

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

absl::StatusOr<Stream> Streamer::Run() {
  names_.insert(graph_.output_names().begin(), graph_.output_names().end());
  for (const ir::Value* input : graph_.inputs()) names_.insert(input->name());
  for (const ir::Value* input : graph_.inputs()) {
    const absl::StatusOr<int> axis = AxisOf(*input);
    std::vector<Expr> dims = input->type().dims;
    if (axis.ok() && *axis >= 0 && dims[static_cast<size_t>(*axis)].ToString() == symbol_) {
      dims[static_cast<size_t>(*axis)] = frame_;
      stream_.inputs.push_back({input->name(), *axis, frame_});
    } else if (!axis.ok() || *axis >= 0) {
      return absl::InvalidArgumentError(absl::StrCat("input `", input->name(),
                                                     "` has a size besides `", symbol_,
                                                     "` that is not known; fix it with `--dim`"));
    }
    absl::StatusOr<ir::Value*> made =
        layers_.rewriter().AddInput(input->name(), {input->type().dtype, dims});
    if (!made.ok()) return made.status();
    flows_[input] = {*made, *axis, frame_};
  }
  if (stream_.inputs.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("`--stream ", symbol_, "`: no input has an axis of that size"));
  const absl::StatusOr<ir::LoopNest> nest = ir::FindLoops(graph_);
  if (!nest.ok()) return nest.status();
  for (const ir::Operation* op : nest->steps) {
    if (op->info().role == ir::Role::kConstant || op->info().role == ir::Role::kSymbolicConstant ||
        ir::IsLoopBegin(*op))
      continue;
    const auto ended = nest->ended_by.find(op);
    const auto known = op->operands();
    const bool behind = std::any_of(known.begin(), known.end(), [&](const ir::Value* value) {
      return value != nullptr && refused_.contains(value);
    });
    std::string reason;
    if (!behind)
      reason = ended != nest->ended_by.end()
                   ? FollowLoop(nest->loops[static_cast<size_t>(ended->second)])
                   : Follow(*op);
    if (!layers_.status().ok()) return layers_.status();
    if (!reason.empty())
      refusals_.push_back(
          {std::string(op->info().name), op->location().ToString(), reason, op->id()});
    if (behind || !reason.empty()) refused_.insert(op->results().begin(), op->results().end());
  }
  if (!refusals_.empty())
    return passes::ErrorOf(refusals_, absl::StrCat("frames of ", frame_, " entries of `", symbol_,
                                                   "`, entries to come being unknown"));
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    const std::optional<Flow> flow = FlowOf(graph_.outputs()[i]);
    const std::string& name = graph_.output_names()[i];
    if (!flow.has_value())
      return absl::UnimplementedError(
          absl::StrCat("output `", name, "` says how many entries there are"));
    if (absl::Status status = layers_.rewriter().AddOutput(name, flow->value); !status.ok())
      return status;
    if (flow->axis >= 0)
      stream_.outputs.push_back(
          {name, flow->axis, flow->entries, flow->delay, flow->stride, flow->offset});
  }
  layers_.rewriter().EraseUnused();
  return std::move(stream_);
}

}  // namespace

absl::StatusOr<Stream> StreamOf(const ir::Graph& graph, const std::string& symbol, int64_t frame) {
  return Streamer(graph, symbol, frame).Run();
}

}  // namespace tessera::npu
