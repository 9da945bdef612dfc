#include "targets/circle/emission/emit_loops.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {

using ir::Operation;
using ir::Value;

// What goes around. Of each: its value in the graphs that are run, and in the graph around them
// before (null: the first position) and after (null: nobody reads it).
struct LoopEmitter::Variables {
  struct Variable {
    const Value* here;
    const Value* before;
    const Value* after;
    std::string name;
  };
  std::vector<Variable> list;
  std::string place;
};

absl::Status LoopEmitter::AppendSteps(const std::vector<const Operation*>& steps,
                                      const std::vector<const Value*>& needed, GraphEmitter& into) {
  const BranchedSteps branched = FindBranches(steps, needed, nest_, may_branch_);
  for (const BranchingStep& step : branched.steps) {
    absl::Status status;
    if (step.op == nullptr) {
      status = AppendBranching(branched.branchings[static_cast<size_t>(step.branching)], into);
    } else {
      const auto loop = nest_.ended_by.find(step.op);
      status =
          loop == nest_.ended_by.end() ? into.Append(*step.op) : AppendLoop(loop->second, into);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status LoopEmitter::AppendBranching(const Branching& branching, GraphEmitter& into) {
  const std::string place = branching.choices.front()->location().ToString();
  FileOperator op;
  op.builtin_code = ::circle::BuiltinOperator_IF;
  op.options_table = "IfOptions";
  std::vector<const Value*> operands = {branching.condition};
  operands.insert(operands.end(), branching.captured.begin(), branching.captured.end());
  for (const Value* operand : operands) {
    const absl::StatusOr<int32_t> tensor = into.Read(*operand, absl::StrCat(place, ":captured"));
    if (!tensor.ok()) return tensor.status();
    op.inputs.push_back(*tensor);
  }
  for (const Operation* choice : branching.choices)
    op.outputs.push_back(into.Add(*choice->result(0), absl::StrCat(place, ":chosen")));
  const size_t first = graphs_.size();
  graphs_.resize(first + branching.sides.size());  // graphs that they run come behind them
  for (size_t s = 0; s < branching.sides.size(); ++s) {
    const Branching::Side& side = branching.sides[s];
    GraphEmitter graph(absl::StrCat(place, s == 0 ? ":then" : ":else"));
    for (const Value* value : branching.captured)
      graph.graph().inputs.push_back(graph.Add(*value, "captured"));
    if (absl::Status status = AppendSteps(side.steps, side.values, graph); !status.ok())
      return status;
    for (const Value* value : side.values) {
      const absl::StatusOr<int32_t> tensor = graph.Read(*value, absl::StrCat(place, ":value"));
      if (!tensor.ok()) return tensor.status();
      graph.graph().outputs.push_back(*tensor);
    }
    graphs_[first + s] = std::move(graph).Take();
  }
  op.options = {{"then_subgraph_index", static_cast<int64_t>(first)},
                {"else_subgraph_index", static_cast<int64_t>(first + 1)}};
  into.Append(std::move(op));
  return absl::OkStatus();
}

absl::Status LoopEmitter::AppendLoop(int index, GraphEmitter& into) {
  const ir::Loop& loop = nest_.loops[static_cast<size_t>(index)];
  Variables variables;
  variables.place = loop.end->location().ToString();
  std::vector<Variables::Variable>& list = variables.list;
  list.push_back({loop.position(), nullptr, nullptr, "position"});
  if (loop.first() != nullptr) list.push_back({loop.again(), loop.first(), nullptr, "again"});
  for (size_t i = 0; i < loop.states(); ++i)
    list.push_back({loop.state(i), loop.initial(i), loop.end->result(i), absl::StrCat("state", i)});
  std::vector<Value*> captured = nest_.CapturedBy(index);
  if (std::find(captured.begin(), captured.end(), loop.trips()) == captured.end())
    captured.push_back(loop.trips());
  for (const Value* value : captured) {
    if (value->constant() == nullptr) list.push_back({value, value, nullptr, "captured"});
  }

  FileOperator op;
  op.builtin_code = ::circle::BuiltinOperator_WHILE;
  op.options_table = "WhileOptions";
  for (const Variables::Variable& variable : list) {
    const std::string name = absl::StrCat(variables.place, ":", variable.name);
    if (variable.before == nullptr) {
      ir::Graph& piece = *pieces_.emplace_back(std::make_unique<ir::Graph>());
      const ir::DType counter = variable.here->type().dtype;
      const int64_t first = 0;
      const Value* zero = ir::Rewriter(piece).CreateConstant(
          ir::Tensor::Of<int64_t>(counter, {}, absl::MakeConstSpan(&first, 1)));
      op.inputs.push_back(into.Add(*zero, name));
    } else {
      const absl::StatusOr<int32_t> tensor = into.Read(*variable.before, name);
      if (!tensor.ok()) return tensor.status();
      op.inputs.push_back(*tensor);
    }
  }
  for (const Variables::Variable& variable : list) {
    const std::string name = absl::StrCat(variables.place, ":last ", variable.name);
    op.outputs.push_back(variable.after == nullptr ? into.AddUnnamed(variable.here->type(), name)
                                                   : into.Add(*variable.after, name));
  }
  const size_t first = graphs_.size();
  graphs_.resize(first + 2);  // graphs that they run come behind them
  absl::StatusOr<FileGraph> condition = Condition(loop, variables);
  if (!condition.ok()) return condition.status();
  graphs_[first] = *std::move(condition);
  absl::StatusOr<FileGraph> body = Body(loop, variables);
  if (!body.ok()) return body.status();
  graphs_[first + 1] = *std::move(body);
  op.options = {{"cond_subgraph_index", static_cast<int64_t>(first)},
                {"body_subgraph_index", static_cast<int64_t>(first + 1)}};
  into.Append(std::move(op));
  return absl::OkStatus();
}

absl::StatusOr<FileGraph> LoopEmitter::Condition(const ir::Loop& loop, const Variables& variables) {
  GraphEmitter graph(absl::StrCat(variables.place, ":condition"));
  for (const Variables::Variable& variable : variables.list)
    graph.graph().inputs.push_back(graph.Add(*variable.here, variable.name));
  std::vector<const Value*> operands = {loop.position(), loop.trips()};
  if (loop.again() != nullptr) {
    // What goes around, should it also be captured: it is another value at first.
    graph.Bind(*loop.again(), graph.graph().inputs[1]);
    operands.push_back(loop.again());
  }
  const absl::StatusOr<int32_t> goes_on =
      AppendPiece("LoopGoesOn", operands, loop.end->location(), graph);
  if (!goes_on.ok()) return goes_on.status();
  graph.graph().outputs = {*goes_on};
  return std::move(graph).Take();
}

absl::StatusOr<FileGraph> LoopEmitter::Body(const ir::Loop& loop, const Variables& variables) {
  GraphEmitter graph(absl::StrCat(variables.place, ":body"));
  for (size_t v = 0; v < variables.list.size(); ++v) {
    const Variables::Variable& variable = variables.list[v];
    // The condition, the second, is computed therein, and not read.
    graph.graph().inputs.push_back(loop.again() != nullptr && v == 1
                                       ? graph.AddUnnamed(variable.here->type(), variable.name)
                                       : graph.Add(*variable.here, variable.name));
  }
  const std::vector<const Value*> needed(loop.end->operands().begin(), loop.end->operands().end());
  if (absl::Status status = AppendSteps(loop.steps, needed, graph); !status.ok()) return status;
  const absl::StatusOr<int32_t> next =
      AppendPiece("LoopNext", {loop.position()}, loop.end->location(), graph);
  if (!next.ok()) return next.status();
  graph.graph().outputs = {*next};
  std::vector<const Value*> values;
  if (loop.again() != nullptr) values.push_back(loop.again());
  for (size_t i = 0; i < loop.states(); ++i) values.push_back(loop.next(i));
  for (size_t v = 1 + values.size(); v < variables.list.size(); ++v)
    values.push_back(variables.list[v].here);
  for (const Value* value : values) {
    const absl::StatusOr<int32_t> tensor =
        graph.Read(*value, absl::StrCat(variables.place, ":next"));
    if (!tensor.ok()) return tensor.status();
    graph.graph().outputs.push_back(*tensor);
  }
  return std::move(graph).Take();
}

absl::StatusOr<int32_t> LoopEmitter::AppendPiece(std::string_view builder,
                                                 const std::vector<const Value*>& operands,
                                                 const ir::Location& location, GraphEmitter& into) {
  ir::Graph& piece = *pieces_.emplace_back(std::make_unique<ir::Graph>());
  ir::Rewriter rewriter(piece);
  rewriter.SetLocation(location);
  std::vector<Value*> inputs;
  for (const Value* operand : operands) {
    const absl::StatusOr<int32_t> tensor = into.Read(*operand, "trips");
    if (!tensor.ok()) return tensor.status();
    const absl::StatusOr<Value*> input =
        rewriter.AddInput(absl::StrCat(inputs.size()), operand->type());
    if (!input.ok()) return input.status();
    into.Bind(**input, *tensor);
    inputs.push_back(*input);
  }
  ir::TermBuilder terms(rewriter);
  const std::vector<Value*> results = terms.Create(kDialect, builder, inputs, {});
  if (!terms.ok()) return terms.status();
  for (const Operation* op : piece.TopologicalOrder()) {
    if (op->info().role == ir::Role::kConstant) continue;
    if (absl::Status status = into.Append(*op); !status.ok()) return status;
  }
  return into.Read(*results[0], "result");
}

}  // namespace tessera::circle
