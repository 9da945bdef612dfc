#include "frontends/onnx/shape_folding.h"

#include <algorithm>
#include <string>
#include <vector>

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

}  // namespace

absl::Status FoldShapeArithmetic(ir::Rewriter& rewriter) {
  for (ir::Operation* op : rewriter.graph().TopologicalOrder()) {
    if (IsConstant(*op)) continue;
    for (ir::Value* value : op->results()) {
      if (value->elements() == nullptr) continue;
      const bool read = value->is_graph_output() ||
                        std::any_of(value->UsesUnsorted().begin(), value->UsesUnsorted().end(),
                                    [](const ir::Use& use) { return !IsArithmetic(*use.op); });
      if (!read) continue;
      std::vector<int64_t> shape;
      for (const ir::Expr& dim : value->type().dims) shape.push_back(*dim.Constant());
      rewriter.SetInsertionPoint(op);
      rewriter.SetLocation(op->location());
      absl::StatusOr<ir::Value*> folded = rewriter.CreateSymbolicConstant(
          value->type().dtype, std::move(shape), *value->elements());
      if (!folded.ok()) return folded.status();
      const std::string name = value->name();
      if (absl::Status status = rewriter.ReplaceAllUses(value, *folded); !status.ok())
        return status;
      rewriter.SetName(*folded, name);
    }
  }
  rewriter.SetInsertionPoint(nullptr);
  return absl::OkStatus();
}

}  // namespace tessera::onnx_import
