#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/loops.h"
#include "layout/permutation.h"
#include "passes/lower.h"
#include "solver/expr.h"
#include "targets/npu/legalization/streamer.h"

namespace tessera::npu {

bool Streamer::Mentions(const Expr& e) const {
  const std::vector<std::string> symbols = solver::SymbolsOf(e);
  return std::find(symbols.begin(), symbols.end(), symbol_) != symbols.end();
}

absl::StatusOr<int> Streamer::AxisOf(const ir::Value& value) const {
  int axis = -1;
  for (size_t d = 0; d < value.type().dims.size(); ++d) {
    const Expr& dim = value.type().dims[d];
    if (dim.Constant().has_value()) continue;
    if (axis >= 0 || !Mentions(dim))
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
  Flow made, end;
  std::vector<ir::Value*> values;
  for (const std::optional<Flow>& flow : operands) {
    values.push_back(flow.has_value() ? flow->value : nullptr);
    if (flow.has_value() && flow->axis >= 0) made = *flow;
    if (flow.has_value() && flow->ends && (!end.ends || flow->delay > end.delay)) end = *flow;
  }
  if (end.ends && made.axis >= 0)
    return "each entry of its result takes what is known behind the last one";
  if (end.ends) made = end;
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
    case Step::kOver:
      return FollowOver(op, x);
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
    if (flow->axis >= 0 || flow->ends)
      stream_.outputs.push_back(
          {name, flow->axis, flow->entries, flow->delay, flow->stride, flow->offset});
  }
  layers_.rewriter().EraseUnused();
  return std::move(stream_);
}

absl::StatusOr<Stream> StreamOf(const ir::Graph& graph, const std::string& symbol, int64_t frame) {
  return Streamer(graph, symbol, frame).Run();
}

}  // namespace tessera::npu
