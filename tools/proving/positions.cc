#include "tools/proving/positions.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/inference.h"
#include "ir/rewriter.h"
#include "nests/library.h"
#include "nests/positions.h"
#include "solver/copy.h"
#include "solver/remedy.h"
#include "tools/proving/data_indices.h"
#include "tools/proving/iterations.h"
#include "tools/proving/position_elements.h"
#include "tools/proving/requirements.h"
#include "tools/proving/tried_positions.h"

// Defined by generated code.
namespace tessera::ops {
absl::Span<const nests::Definition* const> CoreNests();
}  // namespace tessera::ops

namespace tessera::proving {
namespace {

using solver::Expr;

// Of what can be said of the operand's elements: what the op requires of them is proved, or owed.
// Error: it does not hold.
absl::Status RequireElements(const ir::Operation& op, size_t operand, const Iterations& iterations,
                             solver::Context& context, ir::Rewriter& rewriter) {
  // Each has steps of its own to take.
  nests::Positions own(context);
  const std::vector<Iteration> bound = iterations.Let(own);
  std::vector<Expr> elements = AtIterations(bound, ElementsOf(own, *op.operand(operand)));
  if (Divides(own.context(), context)) return absl::OkStatus();
  for (Expr& element : elements) element = solver::Transfer(context, Plain(own.context(), element));
  if (elements.empty() ||
      std::any_of(elements.begin(), elements.end(), [](const Expr& e) { return e.IsInvalid(); }))
    return absl::OkStatus();
  const Required before = Infer(op, operand, {}, context);
  Required here = Infer(op, operand, elements, context);
  if (!here.status.ok()) {
    // What nothing mends comes first.
    const int64_t length = RowLength(*op.operand(operand)).value_or(1);
    for (auto row = elements.begin(); row != elements.end(); row += length) {
      const Required one = Infer(op, operand, {row, row + length}, context);
      if (!one.status.ok() && solver::Attached(one.status).empty()) return one.status;
    }
    return here.status;
  }
  for (ir::Obligation& open : here.open) {
    if (!Has(before.open, open))
      rewriter.AddObligation(std::move(open), std::string(op.info().name), &op);
  }
  for (ir::Obligation& proved : here.proved) {
    if (!Has(before.proved, proved))
      rewriter.AddProved(std::move(proved), std::string(op.info().name), op.location());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RequirePositions(ir::Graph& graph, const std::string& file,
                              std::vector<std::string>& left) {
  static const bool added = [] {
    nests::Library::Global().Add(ops::CoreNests());
    return true;
  }();
  (void)added;
  solver::Context& context = graph.context();
  ir::Rewriter rewriter(graph);
  std::optional<nests::Positions> positions;
  std::optional<DataIndices> data;
  const Iterations iterations(graph);
  std::vector<solver::Assignment> sizes;
  std::vector<std::string> problems;
  absl::Status first;
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    const ir::OpInfo& info = op->info();
    for (size_t i = 0; i < op->operands().size(); ++i) {
      const ir::OperandSpec* const spec = ir::OperandSpecAt(info, i);
      const ir::Value* const value = op->operand(i);
      if (value == nullptr || spec == nullptr || !spec->data || info.elementwise ||
          !ir::IsInteger(value->type().dtype) || !ir::InfoOf(value).extremes.empty())
        continue;
      if (!positions) {
        positions.emplace(context);
        iterations.Let(*positions);
      }
      if (!Asks(*op, i, context)) continue;
      if (positions->IsData(*value)) {
        if (!data) data.emplace(graph);
        const std::string unsettled = data->Prove(*op, i, rewriter);
        if (unsettled.empty()) continue;
        const std::string where = op->location().ToString();
        left.push_back(absl::StrCat(where.empty() ? "" : where + ": ", unsettled));
        continue;
      }
      absl::Status status = RequireElements(*op, i, iterations, context, rewriter);
      if (status.ok()) {
        // More may fail than what is said of elements in general, or than can be said.
        if (sizes.empty()) sizes = SomeSizes(context);
        status = TryPositions(*op, i, sizes);
      }
      if (status.ok()) continue;
      const std::string where = op->location().ToString();
      problems.push_back(absl::StrCat(file, ": ", where.empty() ? "" : where + ": ", "`",
                                      std::string(info.name), "`: ", status.message()));
      if (first.ok()) first = status;
    }
  }
  if (problems.empty()) return absl::OkStatus();
  absl::Status status = absl::InvalidArgumentError(absl::StrJoin(problems, "\n"));
  if (const solver::Remedy remedy = solver::Attached(first); !remedy.empty())
    solver::Attach(remedy, status, solver::ConstraintOf(first));
  return status;
}

}  // namespace tessera::proving
