#include "frontends/onnx/shape_folding.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "ir/operation.h"
#include "ir/term_builder.h"

namespace tessera::onnx_import {
namespace {

// All that `op` yields will be replaced, or used by nothing.
bool IsArithmetic(const ir::Operation& op) {
  return !op.info().effect && !op.results().empty() &&
         std::all_of(op.results().begin(), op.results().end(),
                     [](const ir::Value* v) { return v->elements() != nullptr; });
}

bool IsConstant(const ir::Operation& op) {
  return op.info().role == ir::Role::kConstant || op.info().role == ir::Role::kSymbolicConstant;
}

// What is required of sizes does not end with the arithmetic on them.
void KeepObligations(ir::Rewriter& rewriter) {
  absl::flat_hash_set<int> arithmetic;
  for (const ir::Operation* op : rewriter.graph().TopologicalOrder()) {
    if (IsArithmetic(*op)) arithmetic.insert(op->id());
  }
  std::vector<ir::Obligation> kept;
  for (const ir::Obligation& open : rewriter.graph().obligations()) {
    if (arithmetic.contains(open.owner)) kept.push_back(open);
  }
  for (const ir::Obligation& open : kept) rewriter.AddObligation(open, open.op, nullptr);
}

}  // namespace

absl::Status FoldShapeArithmetic(ir::Rewriter& rewriter) {
  KeepObligations(rewriter);
  for (ir::Operation* op : rewriter.graph().TopologicalOrder()) {
    if (IsConstant(*op)) continue;
    std::vector<ir::Value*> read;
    for (ir::Value* value : op->results()) {
      const auto uses = value->UsesUnsorted();
      if (value->elements() != nullptr &&
          (value->is_graph_output() || std::any_of(uses.begin(), uses.end(), [](const ir::Use& u) {
             return !IsArithmetic(*u.op);
           }))) {
        read.push_back(value);
      }
    }
    // With the last of its uses `op` is erased, and so may be what comes before it, nothing after.
    for (ir::Value* value : read) {
      std::vector<int64_t> shape;
      for (const ir::Expr& dim : value->type().dims) shape.push_back(*dim.Constant());
      rewriter.SetInsertionPoint(op);
      rewriter.SetLocation(op->location());
      absl::StatusOr<ir::Value*> folded = rewriter.CreateSymbolicConstant(
          value->type().dtype, std::move(shape), *value->elements());
      rewriter.SetInsertionPoint(nullptr);
      if (!folded.ok()) return folded.status();
      rewriter.SetName(*folded, value->name());
      if (absl::Status status = rewriter.ReplaceAllUses(value, *folded); !status.ok())
        return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::onnx_import
