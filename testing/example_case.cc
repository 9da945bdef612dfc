#include "testing/example_case.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "testing/literals.h"

namespace tessera::testing {

absl::Status Prepare(const ops::OpExamples& op, const ops::Example& example, Case& c) {
  c.op = &op;
  c.info = ir::Registry::Global().Find(op.dialect, op.op);
  if (c.info == nullptr) return absl::NotFoundError(absl::StrCat("no op `", op.op, "`"));
  c.tensors.reserve(example.operands.size());
  uint64_t seed = 17;
  for (const ops::Literal& literal : example.operands) {
    if (!literal.present) {
      c.operands.push_back(nullptr);
      continue;
    }
    absl::StatusOr<ir::Tensor> tensor = TensorOf(literal, ++seed);
    if (!tensor.ok()) return tensor.status();
    c.tensors.push_back(*std::move(tensor));
    c.operands.push_back(&c.tensors.back());
  }
  c.attrs = example.attrs;
  std::vector<std::vector<ir::Expr>> dims, elements;
  return c.info->complete(Infos<ir::Expr>(c, dims, elements), c.attrs);
}

absl::Status BuildGraph(const Case& c, bool constants, ir::Graph& graph) {
  ir::Rewriter rewriter(graph);
  ir::TermBuilder builder(rewriter);
  rewriter.SetLocation(ir::Location::Of(c.op->op));
  std::vector<ir::Value*> values;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (c.operands[i] == nullptr) {
      values.push_back(nullptr);
      continue;
    }
    const size_t spec = std::min(i, c.info->operands.size() - 1);
    if (constants || c.info->operands[spec].elements) {
      values.push_back(rewriter.CreateConstant(*c.operands[i]));
      if (!constants) continue;
    } else {
      ir::TensorType type{c.operands[i]->dtype(),
                          {c.operands[i]->shape().begin(), c.operands[i]->shape().end()}};
      absl::StatusOr<ir::Value*> input = rewriter.AddInput(absl::StrCat("in", i), type);
      if (!input.ok()) return input.status();
      values.push_back(*input);
    }
  }
  while (!values.empty() && values.back() == nullptr) values.pop_back();
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  for (size_t i = 0; i < c.attrs.size(); ++i) attrs.emplace_back(c.info->attrs[i].name, c.attrs[i]);
  const std::vector<ir::Value*> results = builder.Create(c.op->dialect, c.op->op, values, attrs);
  if (!builder.ok()) return builder.status();
  for (size_t i = 0; i < results.size(); ++i) {
    if (absl::Status status = rewriter.AddOutput(absl::StrCat("out", i), results[i]); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

}  // namespace tessera::testing
