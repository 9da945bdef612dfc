#include "targets/reference/executor.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/data_size.h"
#include "ir/registry.h"
#include "solver/expr.h"
#include "support/parallel.h"
#include "targets/reference/bind_symbols.h"
#include "targets/reference/data_sizes.h"
#include "targets/reference/run_operation.h"

namespace tessera::reference {
namespace {

using solver::Assignment;

std::string Place(const ir::Operation& op) {
  return absl::StrCat("`", std::string(op.info().name), "` at `", op.location().ToString(), "`");
}

absl::Status At(const ir::Operation& op, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("at `", op.location().ToString(), "`: ", status.message()));
}

using Values = std::vector<std::optional<ir::Tensor>>;  // by id

absl::StatusOr<std::vector<ir::Tensor>> Results(const ir::Operation& op, const Values& values,
                                                const Assignment& assignment, int64_t max_bytes) {
  std::vector<const ir::Tensor*> operands;
  for (const ir::Value* operand : op.operands()) {
    operands.push_back(operand == nullptr ? nullptr : &*values[operand->id()]);
  }
  return RunOperation(op, operands, assignment, max_bytes);
}

// Internal where the tensor is not what the value's type evaluates to: shape inference said
// something else for numbers than for symbols.
absl::Status CheckType(const ir::Value& value, const ir::Tensor& tensor,
                       const Assignment& assignment) {
  const absl::StatusOr<std::vector<int64_t>> dims = DimsOf(value.type(), assignment);
  if (!dims.ok()) return dims.status();
  bool same = tensor.dtype() == value.type().dtype && tensor.rank() == value.type().rank();
  for (size_t d = 0; same && d < dims->size(); ++d) same = (*dims)[d] == tensor.shape()[d];
  if (same) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(Place(*value.producer()), ": result `", value.name(),
                                          "` is `", std::string(ir::NameOf(tensor.dtype())), "[",
                                          absl::StrJoin(tensor.shape(), ","), "]`, its type is `",
                                          value.type().ToString(), "`"));
}

// Symbols by the inputs' shapes, which are as the graph wants them.
absl::StatusOr<Assignment> Bound(const ir::Graph& graph, absl::Span<const ir::Tensor> inputs) {
  absl::StatusOr<Assignment> assignment = BindSymbols(graph, inputs);
  if (!assignment.ok()) return assignment;
  absl::Status status = CheckObligations(graph, *assignment);
  if (!status.ok()) return status;
  return assignment;
}

// One run: what the values are by now.
class Running {
 public:
  Running(const ir::Graph& graph, const ir::LoopNest& nest, Assignment assignment, int value_ids,
          Executor::Observer observer)
      : graph_(graph),
        nest_(nest),
        assignment_(std::move(assignment)),
        values_(value_ids),
        observer_(observer) {}

  void Keep(const ir::Value& value, ir::Tensor tensor) {
    observer_(value, tensor);
    Release(value.id());
    live_bytes_ += static_cast<int64_t>(tensor.bytes().size());
    most_live_bytes_ = std::max(most_live_bytes_, live_bytes_);
    values_[value.id()] = std::move(tensor);
  }
  void Release(int id) {
    if (!values_[id].has_value()) return;
    live_bytes_ -= static_cast<int64_t>(values_[id]->bytes().size());
    values_[id].reset();
  }
  const ir::Tensor& ValueOf(const ir::Value& value) const { return *values_[value.id()]; }
  int64_t most_live_bytes() const { return most_live_bytes_; }
  std::vector<ir::Tensor> Outputs() const {
    std::vector<ir::Tensor> outputs;
    for (const ir::Value* output : graph_.outputs()) outputs.push_back(ValueOf(*output));
    return outputs;
  }

  absl::Status Do(const ir::Operation& op) {
    if (ir::IsDataSize(op)) {
      absl::Status status = BindDataSize(graph_, op, ValueOf(*op.operand(0)).AsInt(0), assignment_);
      if (!status.ok()) return At(op, status);
    }
    const auto loop = nest_.ended_by.find(&op);
    absl::StatusOr<std::vector<ir::Tensor>> results =
        loop != nest_.ended_by.end() ? Loop(nest_.loops[static_cast<size_t>(loop->second)])
        : ir::IsLoopEntry(op)        ? Entry(op)
                              : Results(op, values_, assignment_, MaxLiveBytes() - live_bytes_);
    if (!results.ok())
      return loop == nest_.ended_by.end() ? At(op, results.status()) : results.status();
    if (results->size() != op.results().size()) {
      return absl::InternalError(
          absl::StrCat(Place(op), ": ", results->size(), " results of ", op.results().size()));
    }
    for (size_t i = 0; i < results->size(); ++i) {
      absl::Status status = CheckType(*op.result(i), (*results)[i], assignment_);
      if (!status.ok()) return status;
      Keep(*op.result(i), std::move((*results)[i]));
    }
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kMostPositions = int64_t{1} << 28;

  absl::StatusOr<std::vector<ir::Tensor>> Entry(const ir::Operation& op) const {
    const ir::Tensor& x = ValueOf(*op.operand(1));
    const int64_t at = ValueOf(*op.operand(0)).AsInt(0);
    if (at < 0 || at >= x.shape()[0])
      return absl::InternalError(absl::StrCat("entry ", at, " of ", x.shape()[0]));
    const size_t bytes = x.bytes().size() / static_cast<size_t>(x.shape()[0]);
    absl::StatusOr<ir::Tensor> entry =
        ir::Tensor::View(x.dtype(), {x.shape().begin() + 1, x.shape().end()}, x.owner(),
                         x.bytes().subspan(bytes * static_cast<size_t>(at), bytes));
    if (!entry.ok()) return entry.status();
    return std::vector<ir::Tensor>{*std::move(entry)};
  }

  absl::StatusOr<std::vector<ir::Tensor>> Loop(const ir::Loop& loop) {
    std::vector<ir::Tensor> states;
    for (size_t i = 0; i < loop.states(); ++i) states.push_back(ValueOf(*loop.initial(i)));
    std::vector<std::vector<ir::Tensor>> collected(loop.collected_count());
    const int64_t trips = ValueOf(*loop.trips()).AsInt(0);
    bool goes_on = loop.first() == nullptr || ValueOf(*loop.first()).AsInt(0) != 0;
    for (int64_t i = 0; goes_on && i < trips; ++i) {
      if (++positions_ > kMostPositions)
        return At(*loop.end, absl::ResourceExhaustedError("loops have taken too many positions"));
      Keep(*loop.position(),
           ir::Tensor::Of<int64_t>(loop.position()->type().dtype, {}, absl::MakeConstSpan(&i, 1)));
      for (size_t s = 0; s < states.size(); ++s) {
        absl::Status status = CheckType(*loop.state(s), states[s], assignment_);
        if (!status.ok()) return status;
        Keep(*loop.state(s), std::move(states[s]));
      }
      for (const ir::Operation* step : loop.steps) {
        if (absl::Status status = Do(*step); !status.ok()) return status;
      }
      for (size_t s = 0; s < states.size(); ++s) states[s] = ValueOf(*loop.next(s));
      for (size_t k = 0; k < collected.size(); ++k) {
        collected[k].push_back(ValueOf(*loop.collected(k)));
        live_bytes_ += static_cast<int64_t>(collected[k].back().bytes().size());
        if (live_bytes_ > MaxLiveBytes())
          return At(*loop.end, absl::ResourceExhaustedError("what it collects is too large"));
      }
      if (loop.again() != nullptr) goes_on = ValueOf(*loop.again()).AsInt(0) != 0;
      for (const ir::Operation* step : loop.steps) {
        for (const ir::Value* result : step->results()) Release(result->id());
      }
    }
    for (size_t k = 0; k < collected.size(); ++k) {
      absl::StatusOr<ir::Tensor> all = Stacked(*loop.end->result(loop.states() + k), collected[k]);
      if (!all.ok()) return all.status();
      states.push_back(*std::move(all));
    }
    return states;
  }

  // Entries side by side, of the type that `value` has.
  absl::StatusOr<ir::Tensor> Stacked(const ir::Value& value,
                                     const std::vector<ir::Tensor>& entries) {
    const absl::StatusOr<std::vector<int64_t>> dims = DimsOf(value.type(), assignment_);
    if (!dims.ok()) return dims.status();
    std::vector<int64_t> shape = *dims;
    if (shape[0] != static_cast<int64_t>(entries.size())) {
      return absl::InternalError(absl::StrCat(Place(*value.producer()), ": ", entries.size(),
                                              " positions, where there are ", shape[0]));
    }
    absl::StatusOr<ir::Tensor> all = ir::Tensor::Allocate(value.type().dtype, std::move(shape));
    if (!all.ok()) return all.status();
    uint8_t* to = all->mutable_data<uint8_t>();
    for (const ir::Tensor& entry : entries) {
      live_bytes_ -= static_cast<int64_t>(entry.bytes().size());
      to = std::copy(entry.bytes().begin(), entry.bytes().end(), to);
    }
    return all;
  }

  const ir::Graph& graph_;
  const ir::LoopNest& nest_;
  Assignment assignment_;
  Values values_;
  Executor::Observer observer_;
  int64_t live_bytes_ = 0, most_live_bytes_ = 0;
  int64_t positions_ = 0;
};

}  // namespace

absl::StatusOr<Executor> Executor::Create(const ir::Graph& graph) {
  Executor executor(graph);
  absl::StatusOr<ir::LoopNest> nest = ir::FindLoops(graph);
  if (!nest.ok()) return nest.status();
  executor.nest_ = *std::move(nest);
  std::vector<int> last_step;  // by value id, of the last user; -1: none
  const auto use = [&](const ir::Value* value, int step) {
    if (value == nullptr) return;
    if (value->id() >= static_cast<int>(last_step.size())) last_step.resize(value->id() + 1, -1);
    last_step[value->id()] = step;
  };
  for (const ir::Value* input : graph.inputs()) use(input, -1);
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    const bool builtin = &op->info() == &ir::ConstantInfo() ||
                         &op->info() == &ir::SymbolicConstantInfo() || ir::IsLoopOp(*op);
    if (!builtin && op->info().kernel == nullptr)
      return absl::InternalError(absl::StrCat(Place(*op), ": no kernel"));
    for (const ir::Value* result : op->results()) use(result, -1);
  }
  const absl::StatusOr<std::vector<const ir::Operation*>> steps = BehindSizes(executor.nest_);
  if (!steps.ok()) return steps.status();
  for (const ir::Operation* op : *steps) {
    const int step = static_cast<int>(executor.steps_.size());
    const auto loop = executor.nest_.ended_by.find(op);
    if (loop == executor.nest_.ended_by.end()) {
      for (const ir::Value* operand : op->operands()) use(operand, step);
    } else {
      const ir::Operation& begin = *executor.nest_.loops[static_cast<size_t>(loop->second)].begin;
      for (const ir::Value* operand : begin.operands()) use(operand, step);
      for (const ir::Value* value : executor.nest_.CapturedBy(loop->second)) use(value, step);
    }
    for (const ir::Value* result : op->results()) use(result, step);  // unused results go at once
    executor.steps_.push_back({op, {}});
  }
  executor.value_ids_ = static_cast<int>(last_step.size());
  for (const ir::Value* output : graph.outputs()) last_step[output->id()] = -1;
  for (size_t id = 0; id < last_step.size(); ++id) {
    if (last_step[id] >= 0) executor.steps_[last_step[id]].released.push_back(static_cast<int>(id));
  }
  return executor;
}

absl::StatusOr<std::vector<ir::Tensor>> Executor::Run(absl::Span<const ir::Tensor> inputs) const {
  return Run(inputs, [](const ir::Value&, const ir::Tensor&) {});
}

absl::StatusOr<std::vector<ir::Tensor>> Executor::Run(absl::Span<const ir::Tensor> inputs,
                                                      Observer observer) const {
  absl::StatusOr<Assignment> assignment = Bound(*graph_, inputs);
  if (!assignment.ok()) return assignment.status();
  Running running(*graph_, nest_, *std::move(assignment), value_ids_, observer);
  for (size_t i = 0; i < inputs.size(); ++i) running.Keep(*graph_->inputs()[i], inputs[i]);
  for (const Step& step : steps_) {
    if (absl::Status status = running.Do(*step.op); !status.ok()) return status;
    for (const int id : step.released) running.Release(id);
  }
  return running.Outputs();
}

Executor::Together Executor::RunTogether(absl::Span<const std::vector<ir::Tensor>> inputs,
                                         Observer observer) const {
  Together together;
  // What each run has made since the observer looked; where runs take turns, it looks on.
  std::vector<std::vector<std::pair<const ir::Value*, ir::Tensor>>> made(inputs.size());
  bool looks_on = false;
  std::vector<std::function<void(const ir::Value&, const ir::Tensor&)>> keep;
  for (auto& of_run : made) {
    keep.emplace_back([&](const ir::Value& value, const ir::Tensor& tensor) {
      if (looks_on) {
        observer(value, tensor);
      } else {
        of_run.emplace_back(&value, tensor);
      }
    });
  }
  const auto show = [&] {
    for (auto& of_run : made) {
      for (const auto& [value, tensor] : of_run) observer(*value, tensor);
      of_run.clear();
    }
  };
  std::vector<absl::Status> statuses(inputs.size());
  const auto fails = [&] {
    const auto failed = std::find_if(statuses.begin(), statuses.end(),
                                     [](const absl::Status& status) { return !status.ok(); });
    if (failed == statuses.end()) return false;
    together.status = *failed;
    together.failed = static_cast<size_t>(failed - statuses.begin());
    return true;
  };

  std::vector<Running> runs;
  runs.reserve(inputs.size());
  for (size_t r = 0; r < inputs.size(); ++r) {
    absl::StatusOr<Assignment> assignment = Bound(*graph_, inputs[r]);
    statuses[r] = assignment.status();
    if (fails()) return together;
    runs.emplace_back(*graph_, nest_, *std::move(assignment), value_ids_, keep[r]);
    for (size_t i = 0; i < inputs[r].size(); ++i) runs[r].Keep(*graph_->inputs()[i], inputs[r][i]);
  }
  show();
  for (const Step& step : steps_) {
    const auto run = [&](size_t r) { return statuses[r] = runs[r].Do(*step.op); };
    // Sizes that data decide are judged by the facts of the graph, which all runs share. Of a loop
    // all positions of all runs would have to be kept.
    looks_on = ir::IsDataSize(*step.op) || nest_.ended_by.contains(step.op);
    if (looks_on) {
      for (size_t r = 0; r < runs.size() && run(r).ok(); ++r) continue;
    } else {
      // The status of each is there.
      support::ForEachInParallel(runs.size(), run).IgnoreError();
    }
    if (fails()) return together;
    show();
    for (Running& each : runs) {
      for (const int id : step.released) each.Release(id);
    }
  }
  for (const Running& each : runs) {
    together.outputs.push_back(each.Outputs());
    together.live_bytes = std::max(together.live_bytes, each.most_live_bytes());
  }
  return together;
}

}  // namespace tessera::reference
