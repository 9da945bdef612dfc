#include "testing/example_case.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "testing/literals.h"

namespace tessera::testing {
namespace {

constexpr char kInput[] = "in";

}  // namespace

std::vector<NamedExample> Accepted(const std::vector<ops::OpExamples>& list) {
  std::vector<NamedExample> examples;
  for (const ops::OpExamples& op : list) {
    int number = 0;
    for (const ops::Example& example : op.examples) {
      if (!example.reject)
        examples.push_back({&op, &example, absl::StrCat(op.op, " example ", ++number)});
    }
  }
  return examples;
}

absl::Status Prepare(const ops::OpExamples& op, const ops::Example& example, Case& c) {
  c.op = &op;
  c.example = &example;
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

absl::Status BuildGraph(const Case& c, const InputDims& dims_of, ir::Graph& graph) {
  ir::Rewriter rewriter(graph);
  ir::TermBuilder builder(rewriter);
  rewriter.SetLocation(ir::Location::Of(c.op->op));
  std::vector<ir::Value*> values;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    const ir::Tensor* const operand = c.operands[i];
    if (operand == nullptr) {
      values.push_back(nullptr);
      continue;
    }
    const bool needed = c.info->operands[std::min(i, c.info->operands.size() - 1)].elements;
    std::optional<std::vector<ir::Expr>> dims;
    if (!needed) dims = dims_of(operand->shape());
    if (!dims.has_value()) {
      values.push_back(rewriter.CreateConstant(*operand));
      continue;
    }
    absl::StatusOr<ir::Value*> input =
        rewriter.AddInput(absl::StrCat(kInput, i), {operand->dtype(), *std::move(dims)});
    if (!input.ok()) return input.status();
    values.push_back(*input);
  }
  while (!values.empty() && values.back() == nullptr) values.pop_back();
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  for (size_t i = 0; i < c.example->attrs.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(c.example->attrs[i]))
      attrs.emplace_back(c.info->attrs[i].name, c.example->attrs[i]);
  }
  const std::vector<ir::Value*> results = builder.Create(c.op->dialect, c.op->op, values, attrs);
  if (!builder.ok()) return builder.status();
  for (size_t i = 0; i < results.size(); ++i) {
    if (absl::Status status = rewriter.AddOutput(absl::StrCat("out", i), results[i]); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status BuildGraph(const Case& c, bool constants, ir::Graph& graph) {
  return BuildGraph(
      c,
      [&](const std::vector<int64_t>& sizes) -> std::optional<std::vector<ir::Expr>> {
        if (constants) return std::nullopt;
        return std::vector<ir::Expr>(sizes.begin(), sizes.end());
      },
      graph);
}

std::vector<ir::Tensor> InputsOf(const Case& c, const ir::Graph& graph) {
  std::vector<ir::Tensor> inputs;
  for (const ir::Value* input : graph.inputs()) {
    const std::string number(absl::StripPrefix(input->name(), kInput));
    inputs.push_back(*c.operands[static_cast<size_t>(std::stoi(number))]);
  }
  return inputs;
}

}  // namespace tessera::testing
