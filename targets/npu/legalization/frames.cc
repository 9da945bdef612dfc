#include "targets/npu/legalization/frames.h"

#include <algorithm>
#include <optional>
#include <set>

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

constexpr int kNone = -1;     // it does not depend on the symbol
constexpr int kTangled = -2;  // it does, other than by one axis that is the symbol

class Entries {
 public:
  explicit Entries(const std::string& symbol) : symbol_(symbol) {}

  // The axis that the entries lie along.
  int AxisOf(const ir::Value& value) const {
    int axis = kNone;
    for (size_t d = 0; d < value.type().dims.size(); ++d) {
      const Expr& dim = value.type().dims[d];
      const std::vector<std::string> symbols = solver::SymbolsOf(dim);
      if (std::find(symbols.begin(), symbols.end(), symbol_) == symbols.end()) continue;
      if (axis != kNone || dim.ToString() != symbol_) return kTangled;
      axis = static_cast<int>(d);
    }
    return axis;
  }

  // Why an operation is not known to treat each entry for itself; empty: it does.
  std::string Objection(const ir::Operation& op) const {
    if (op.info().role == ir::Role::kConstant || op.info().role == ir::Role::kSymbolicConstant)
      return "";
    const int result = op.results().empty() ? kNone : AxisOf(*op.result());
    int operand = kNone;
    for (const ir::Value* value : op.operands()) {
      if (value == nullptr) continue;
      const int axis = AxisOf(*value);
      if (axis != kNone && operand != kNone && axis != operand && !ir::IsLoopOp(op))
        return "its operands have the entries along different axes";
      operand = operand == kNone ? axis : operand;
    }
    if (operand == kTangled || result == kTangled)
      return "sizes depend on how many entries there are";
    if (operand == kNone && result == kNone) return "";
    if (ir::IsLoopOp(op)) return OfLoop(op);
    if (operand == kNone || result == kNone) return "it makes, or takes away, entries";
    return OfKind(op, operand, result);
  }

 private:
  std::string OfLoop(const ir::Operation& op) const {
    if (ir::IsLoopBegin(op)) return "";
    const Expr& length = std::get<Expr>(op.attr(ir::IsLoopEnd(op) ? 1 : 0));
    return length.ToString() == symbol_ ? "" : "it goes through something else";
  }

  std::string OfKind(const ir::Operation& op, int operand, int result) const {
    const auto d = static_cast<size_t>(operand);
    const std::vector<Expr>& dims = op.operand(0)->type().dims;
    if (op.info().role == ir::Role::kReshape) {
      Expr before = 1, after = 1;
      for (int i = 0; i < operand; ++i) before *= dims[static_cast<size_t>(i)];
      for (int i = 0; i < result; ++i) after *= op.result()->type().dims[static_cast<size_t>(i)];
      return before == after ? "" : "it mixes entries with what is beside them";
    }
    if (op.info().role == ir::Role::kTranspose) {
      const auto order = layout::PermutationOf(&op);
      return order.has_value() && (*order)[static_cast<size_t>(result)] == operand
                 ? ""
                 : "it changes the order of entries";
    }
    if (operand != result) return "its result has the entries along another axis";
    switch (StepOf(op)) {
      case Step::kRows:
      case Step::kScaled:
      case Step::kPicked:
        return d + 1 < dims.size() ? "" : "it adds entries up";
      case Step::kFilter:
      case Step::kWindow:
        return d == 0 ? "" : "its windows span several entries";
      case Step::kJoin:
        return std::get<int64_t>(op.attr(0)) != operand ? "" : "it joins entries";
      case Step::kPart: {
        const auto& starts = std::get<std::vector<Expr>>(op.attr(0));
        return starts[d] == Expr(0) && op.result()->type().dims[d] == dims[d]
                   ? ""
                   : "it takes some of the entries";
      }
      default:
        return op.info().elementwise ? "" : "it is not known to treat each entry for itself";
    }
  }

  const std::string& symbol_;
};

// Numbers that follow from the symbol, for somebody else than a loop.
bool SaysHowMany(const ir::Operation& op) {
  if (op.info().role != ir::Role::kSymbolicConstant) return false;
  if (op.result()->is_graph_output()) return true;
  const auto uses = op.result()->UsesUnsorted();
  return std::any_of(uses.begin(), uses.end(),
                     [](const ir::Use& use) { return !ir::IsLoopOp(*use.op); });
}

}  // namespace

absl::StatusOr<Frames> FramesOf(const ir::Graph& graph) {
  std::set<std::string> symbols;
  for (const ir::Value* input : graph.inputs()) {
    for (const Expr& dim : input->type().dims) {
      for (const std::string& symbol : solver::SymbolsOf(dim)) symbols.insert(symbol);
    }
  }
  Frames frames;
  if (symbols.empty()) return frames;
  if (symbols.size() > 1) {
    return absl::UnimplementedError(absl::StrCat(
        "the device takes inputs of known sizes, of which one may come entry by entry; "
        "fix all but one of `",
        absl::StrJoin(symbols, "`, `"), "` with `--dim`"));
  }
  frames.symbol = *symbols.begin();
  const Entries entries(frames.symbol);
  for (const ir::Value* input : graph.inputs()) {
    const int axis = entries.AxisOf(*input);
    if (axis == kTangled)
      return absl::UnimplementedError(
          absl::StrCat("input `", input->name(), "` depends on `", frames.symbol,
                       "` other than by one axis of that size: fix it with `--dim`"));
    if (axis >= 0) frames.inputs.push_back({input->name(), axis});
  }
  std::vector<passes::Refusal> refusals;
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    const std::string objection =
        SaysHowMany(*op) ? "it says how many entries there are" : entries.Objection(*op);
    if (objection.empty()) continue;
    refusals.push_back(
        {std::string(op->info().name), op->location().ToString(), objection, op->id()});
  }
  if (!refusals.empty()) {
    return passes::ErrorOf(
        refusals, absl::StrCat("frames of one entry of `", frames.symbol, "`; with `--dim ",
                               frames.symbol, "=1` there would be one entry"));
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    if (const int axis = entries.AxisOf(*graph.outputs()[i]); axis >= 0)
      frames.outputs.push_back({graph.output_names()[i], axis});
  }
  return frames;
}

}  // namespace tessera::npu
