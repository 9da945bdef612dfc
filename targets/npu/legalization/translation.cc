#include "targets/npu/legalization/translation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/loops.h"
#include "layout/permutation.h"
#include "nests/cost.h"
#include "nests/library.h"

namespace tessera::npu {
namespace {

std::vector<ir::Expr> Exprs(const std::vector<int64_t>& list) { return {list.begin(), list.end()}; }

}  // namespace

Translation::Translation(ir::Graph& graph, std::string frames, const std::vector<State>& states,
                         const Device& device, const Options& options,
                         std::map<int, std::string> reasons)
    : graph_(graph),
      frames_(std::move(frames)),
      device_(device),
      options_(options),
      reasons_(std::move(reasons)) {
  for (const State& state : states) {
    for (const ir::Value* input : graph.inputs()) {
      if (input->name() != state.input) continue;
      const size_t index = KeepFor(input, state.initial, state.input);
      for (size_t i = 0; i < graph.outputs().size(); ++i) {
        if (graph.output_names()[i] != state.output) continue;
        next_states_.push_back({index, graph.outputs()[i]});
        plan_.states[index].output = state.output;
      }
    }
  }
}

int64_t Translation::Multiple() const {
  return MultipleOf(device_, "affine", "input", 'H', options_.widths.input);
}

// With one entry in place of all, though there may never be one of them in a run.
ir::Expr Translation::OfOneFrame(const ir::Expr& dim) const {
  if (frames_.empty()) return dim;
  if (dim.ToString() == frames_) return 1;
  return solver::Substitute(dim, {{frames_, ir::Expr(1)}});
}

Translation::Shape Translation::ShapeOf(const ir::Value* value) const {
  Shape shape;
  for (const ir::Expr& dim : value->type().dims)
    shape.push_back(OfOneFrame(dim).Constant().value_or(-1));
  return shape;
}

int64_t Translation::CountOf(const ir::Value* value) const {
  int64_t count = 1;
  for (int64_t dim : ShapeOf(value)) count *= dim;
  return count;
}

const ir::Value* Translation::Root(const ir::Value* value) const {
  for (auto view = views_.find(value); view != views_.end(); view = views_.find(value))
    value = view->second;
  return value;
}

// Of the memory that a value is, through whatever view.
int Translation::Readers(const ir::Value* value) const {
  int readers = 0;
  for (const ir::Use& use : value->UsesUnsorted()) {
    if (ir::IsLoopEnd(*use.op)) {
      // A state as it was is no reader; the next state and what is collected are.
      const auto states = static_cast<int>(std::get<int64_t>(use.op->attr(0)));
      const int at = use.index - 2;
      if (at < states) continue;
      if (at < 2 * states) {
        readers += 1 + Readers(use.op->result(static_cast<size_t>(at - states)));
      } else {
        readers += Readers(use.op->result(static_cast<size_t>(at - states)));
      }
      continue;
    }
    readers += ShownBy(*use.op) != nullptr ? Readers(use.op->result()) : 1;
  }
  return readers + static_cast<int>(value->OutputsUnsorted().size());
}

int64_t Translation::WorkOf(const ir::Operation& op) const {
  switch (StepOf(op)) {
    case Step::kRows:
      return CountOf(op.result()) * ShapeOf(op.operand(1))[1];
    case Step::kFilter:
      return CountOf(op.result()) * CountOf(op.operand(1)) / ShapeOf(op.operand(1))[0];
    case Step::kScaled:
      return CountOf(op.result());
    default:
      break;
  }
  if (IsMovement(op) || IsTable(op)) return 0;
  // Two functions of an element are a multiply-add.
  const absl::StatusOr<nests::Computation> computation = nests::ComputationOf(op, graph_.context());
  if (!computation.ok()) return CountOf(op.result());
  const ir::Expr flops = nests::CostOf(*computation).flops;
  return OfOneFrame(flops).Constant().value_or(2 * CountOf(op.result())) / 2;
}

int Translation::LevelOf(const ir::Value* value) const {
  const auto level = level_of_.find(Root(value));
  return level == level_of_.end() ? -1 : level->second;
}

int Translation::HighestOperand(const ir::Operation& op) const {
  int highest = -1;
  for (const ir::Value* operand : op.operands()) {
    if (operand != nullptr) highest = std::max(highest, LevelOf(operand));
  }
  return highest;
}

Translation::Level& Translation::At(int level) {
  while (static_cast<int>(levels_.size()) <= level) {
    Level& added = levels_.emplace_back();
    added.graph = std::make_unique<ir::Graph>();
    added.layers = std::make_unique<Layers>(*added.graph);
  }
  return levels_[static_cast<size_t>(level)];
}

// The value whose elements the result has in the same order; null: it is no view.
const ir::Value* Translation::ShownBy(const ir::Operation& op) const {
  if (ir::IsLoopEntry(op)) return op.operand(1);
  if (op.info().role == ir::Role::kReshape) return op.operand(0);
  if (op.info().role != ir::Role::kTranspose) return nullptr;
  const auto order = layout::PermutationOf(&op);
  const bool keeps = order.has_value() && layout::KeepsOrder(*order, Exprs(ShapeOf(op.operand(0))));
  return keeps ? op.operand(0) : nullptr;
}

bool Translation::PlaceView(const ir::Operation& op) {
  const ir::Value* shown = ShownBy(op);
  if (shown == nullptr) return false;
  views_[op.result()] = shown;
  return true;
}

std::string Translation::NameFor(const ir::Value* value) {
  const std::string base = value->name().empty() ? "value" : value->name();
  std::string name = base;
  for (int i = 1; !names_.insert(name).second; ++i) name = absl::StrCat(base, ".", i);
  return name;
}

Translation::StoredPtr Translation::Make(std::vector<ir::Value*> pieces, int64_t count) const {
  auto stored = std::make_shared<Stored>();
  stored->pieces = std::move(pieces);
  stored->count = count;
  return stored;
}

const std::string* Translation::ObjectionTo(const ir::Operation& op) const {
  if (const auto reason = reasons_.find(op.id()); reason != reasons_.end()) return &reason->second;
  const auto misfit = options_.misfits.find(op.location().ToString());
  if (misfit != options_.misfits.end() && !IsMovement(op) &&
      (IsTable(op) || !misfit->second.tables))
    return &misfit->second.reason;
  static const auto* const kNothing = new std::string("it computes with values without elements");
  const auto is_empty = [&](const ir::Value* value) {
    return value != nullptr && CountOf(value) == 0;
  };
  const auto operands = op.operands();
  const auto results = op.results();
  return std::any_of(operands.begin(), operands.end(), is_empty) ||
                 std::any_of(results.begin(), results.end(), is_empty)
             ? kNothing
             : nullptr;
}

void Translation::Place(const ir::Operation& op) {
  if (op.info().role == ir::Role::kConstant || op.info().role == ir::Role::kSymbolicConstant ||
      PlaceView(op) || PlaceLoop(op))
    return;
  const std::string* const objection = ObjectionTo(op);
  const Step kind = StepOf(op);
  if (objection == nullptr && (kind != Step::kNone || IsTable(op))) {
    level_ = std::max(HighestOperand(op), 0);
    if (!IsDeviceLevel(level_)) ++level_;
    // Of what the host has, the host joins, cuts and rounds; and between layers it does what costs
    // less than to cross over.
    const int highest = HighestOperand(op);
    const bool moves = kind == Step::kJoin || kind == Step::kPart || kind == Step::kPicked ||
                       kind == Step::kRounded;
    const bool follows = kind == Step::kNone && highest > 0 && options_.host_fallback;
    if ((moves || follows) && highest < level_) return PlaceOnHost(op, "");
    At(level_).layers->rewriter().SetLocation(op.location());
    const absl::StatusOr<StoredPtr> stored = OnDevice(op);
    if (stored.ok()) {
      if (*stored == nullptr) return;  // the level holds the error
      level_of_[op.result()] = level_;
      At(level_).stored[op.result()] = *stored;
      plan_.device_work += WorkOf(op);
      return;
    }
    return PlaceOnHost(op, std::string(stored.status().message()));
  }
  PlaceOnHost(op, objection != nullptr ? *objection
                  : op.info().role == ir::Role::kTranspose
                      ? "a transposition that layers stand before and behind"
                      : "the device has nothing like it");
}

absl::StatusOr<Translation::StoredPtr> Translation::OnDevice(const ir::Operation& op) {
  switch (StepOf(op)) {
    case Step::kRows:
      return LowerRows(op);
    case Step::kScaled:
      return LowerScaled(op);
    case Step::kSum:
      return LowerSum(op);
    case Step::kProduct:
      return LowerProduct(op);
    case Step::kPart:
      return LowerPart(op);
    case Step::kPicked:
      return LowerPicked(op);
    case Step::kJoin:
      return LowerJoin(op);
    case Step::kFilter:
      return LowerFilter(op);
    case Step::kWindow:
      return LowerWindow(op);
    case Step::kOver:
      return absl::UnimplementedError(
          "it goes over entries of which there are more than one layer has; `--stream` takes them "
          "frame by frame");
    default:
      return LowerElementwise(op);
  }
}

absl::StatusOr<Plan> Translation::Run() {
  const auto is_state = [&](const std::string& name, std::string State::*field) {
    return std::any_of(plan_.states.begin(), plan_.states.end(),
                       [&](const State& state) { return state.*field == name; });
  };
  for (const ir::Value* input : graph_.inputs()) {
    names_.insert(input->name());
    if (!is_state(input->name(), &State::input)) plan_.inputs.push_back(input->name());
  }
  for (const std::string& name : graph_.output_names()) {
    names_.insert(name);
    if (!is_state(name, &State::output)) plan_.outputs.push_back(name);
  }
  plan_.frames = frames_;
  const auto failed = [&] {
    for (const Level& level : levels_) {
      if (!level.layers->status().ok()) return level.layers->status();
    }
    return absl::OkStatus();
  };
  if (absl::Status status = SplitImages(); !status.ok()) return status;
  for (const ir::Operation* op : graph_.TopologicalOrder()) {
    Place(*op);
    if (absl::Status status = failed(); !status.ok())
      return absl::Status(status.code(),
                          absl::StrCat("`", std::string(op->info().name), "` at `",
                                       op->location().ToString(), "`: ", status.message()));
  }
  if (absl::Status status = Refusals(); !status.ok()) return status;
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    if (is_state(graph_.output_names()[i], &State::output)) continue;
    const ir::Value* output = graph_.outputs()[i];
    const int level = std::max(LevelOf(output), 0);
    ir::Value* value = nullptr;
    if (IsDeviceLevel(level)) {
      level_ = level;
      value = layers().Reshaped(Fitted(Flat(output), CountOf(output)), ShapeOf(output));
    } else {
      value = OnHost(output, level);
    }
    if (absl::Status status = failed(); !status.ok()) return status;
    const absl::Status added =
        At(level).layers->rewriter().AddOutput(graph_.output_names()[i], value);
    if (!added.ok()) return added;
  }
  if (absl::Status status = WriteStates(); !status.ok()) return status;
  for (size_t i = 0; i < levels_.size(); ++i) {
    if (levels_[i].graph->outputs().empty()) continue;
    levels_[i].layers->rewriter().EraseUnused();
    plan_.stretches.push_back(
        {IsDeviceLevel(static_cast<int>(i)) ? Stretch::Side::kDevice : Stretch::Side::kHost,
         std::move(levels_[i].graph)});
  }
  return std::move(plan_);
}

}  // namespace tessera::npu
