#include "targets/npu/legalization/movement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/rewriter.h"
#include "targets/npu/legalization/layers.h"

namespace tessera::npu {
namespace {

// The operand of a table that is no number.
ir::Value* DataOf(const ir::Operation& table) {
  for (ir::Value* operand : table.operands()) {
    if (operand != nullptr && operand->constant() == nullptr) return operand;
  }
  return nullptr;
}

}  // namespace

absl::Status Recreate(const ir::Operation& like, ir::Rewriter& rewriter, ir::Value*& data) {
  std::vector<ir::Value*> operands(like.operands().begin(), like.operands().end());
  for (ir::Value*& operand : operands) {
    if (operand != nullptr && operand->constant() == nullptr) operand = data;
  }
  rewriter.SetLocation(like.location());
  absl::StatusOr<ir::Operation*> made =
      rewriter.Create(like.info(), std::move(operands), {like.attrs().begin(), like.attrs().end()});
  if (made.ok()) data = (*made)->result();
  return made.status();
}

absl::StatusOr<passes::PassResult> SinkToWeights(ir::Graph& graph, passes::PassContext&) {
  passes::PassResult result;
  ir::Rewriter rewriter(graph);
  for (ir::Operation* reshape : graph.TopologicalOrder()) {
    if (reshape->info().role != ir::Role::kReshape ||
        reshape->result()->UsesUnsorted().size() != 1 || reshape->result()->is_graph_output() ||
        StepOf(*reshape->result()->UsesUnsorted()[0].op) != Step::kRows)
      continue;
    std::vector<ir::Operation*> tables;  // the last one first
    ir::Value* x = reshape->operand(0);
    const auto alone = [](const ir::Value* value) {
      return value->producer() != nullptr && value->UsesUnsorted().size() == 1 &&
             !value->is_graph_output();
    };
    while (alone(x) && IsTable(*x->producer())) {
      ir::Operation* table = x->producer();
      tables.push_back(table);
      for (ir::Value* operand : table->operands()) {
        if (operand != nullptr && operand->constant() == nullptr) x = operand;
      }
    }
    if (tables.empty() || !alone(x) || x->producer()->info().role != ir::Role::kTranspose) continue;
    const ir::Operation* transpose = x->producer();
    ir::Value* moved = transpose->operand(0);
    rewriter.SetInsertionPoint(reshape);
    absl::Status status;
    for (auto table = tables.rbegin(); table != tables.rend() && status.ok(); ++table)
      status = Recreate(**table, rewriter, moved);
    if (status.ok()) status = Recreate(*transpose, rewriter, moved);
    if (status.ok()) status = rewriter.SetOperand(reshape, 0, moved);
    if (!status.ok()) return status;
    result.changed = true;
    ++result.rewrites;
  }
  return result;
}

// Each round brings a cut before one table; chains are short, and have an end.
absl::StatusOr<passes::PassResult> CutEarly(ir::Graph& graph, passes::PassContext&) {
  passes::PassResult result;
  ir::Rewriter rewriter(graph);
  for (bool again = true; again;) {
    again = false;
    for (ir::Operation* table : graph.TopologicalOrder()) {
      if (!IsTable(*table) || table->result()->is_graph_output()) continue;
      const std::vector<ir::Use> uses(table->result()->UsesUnsorted().begin(),
                                      table->result()->UsesUnsorted().end());
      const bool cut = !uses.empty() && std::all_of(uses.begin(), uses.end(), [](const ir::Use& u) {
        return StepOf(*u.op) == Step::kPart;
      });
      if (!cut) continue;
      for (const ir::Use& use : uses) {
        ir::Value* data = DataOf(*table);
        rewriter.SetInsertionPoint(use.op);
        absl::Status status = Recreate(*use.op, rewriter, data);
        if (status.ok()) status = Recreate(*table, rewriter, data);
        if (status.ok()) status = rewriter.Replace(use.op, {&data, 1});
        if (!status.ok()) return status;
        ++result.rewrites;
      }
      result.changed = again = true;
      break;
    }
  }
  return result;
}

}  // namespace tessera::npu
